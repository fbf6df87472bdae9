"""The commands of the project: ``python -m mipbook COMMAND``; ``--help`` after one tells more."""

from __future__ import annotations

from explorable import __main__ as engine
from explorable.__main__ import Command

# Errors are in the words of a terminal.
_SAYS = "mipbook.commands.output:in_options"
COMMANDS = {
    **engine.COMMANDS,
    "runs": Command("mipbook.commands.answers:runs", "make the stored runs again"),
    "translate": Command(
        "mipbook.commands.answers:translate",
        "say what a promise or a mechanism means in every notion",
        says=_SAYS,
    ),
    "dpsgd": Command(
        "mipbook.commands.training:dpsgd", "say what a run of DP-SGD leaks, from both sides", says=_SAYS
    ),
    "audit": Command(
        "mipbook.commands.answers:audit", "say what an attack's scores prove: audit scores.csv", says=_SAYS
    ),
    "release": Command(
        "mipbook.commands.answers:release",
        "release a mean or a median with a promise: release pool.csv",
        says=_SAYS,
    ),
    "choose": Command(
        "mipbook.commands.answers:choose", "choose an epsilon for a data set: choose pool.csv", says=_SAYS
    ),
}


def main() -> None:
    """Run the command that the command line names, or tell which there are."""
    engine.door("mipbook", COMMANDS, "python -m mipbook")


if __name__ == "__main__":
    main()
