"""The commands of the project: ``python -m mipbook COMMAND``; ``--help`` after one tells more."""

from __future__ import annotations

from explorable import __main__ as engine
from explorable.__main__ import Command

COMMANDS = {
    **engine.COMMANDS,
    "runs": Command("mipbook.commands.answers:runs", "make the stored runs again"),
    "translate": Command(
        "mipbook.commands.answers:translate", "say what a promise or a mechanism means in every notion"
    ),
    "dpsgd": Command("mipbook.commands.training:dpsgd", "say what a run of DP-SGD leaks, from both sides"),
    "audit": Command("mipbook.commands.answers:audit", "say what an attack's scores prove: audit scores.csv"),
    "release": Command(
        "mipbook.commands.answers:release", "release a mean or a median with a promise: release pool.csv"
    ),
    "choose": Command("mipbook.commands.answers:choose", "choose an epsilon for a data set: choose pool.csv"),
}


def main() -> None:
    """Run the command that the command line names, or tell which there are."""
    engine.door("mipbook", COMMANDS, "python -m mipbook")


if __name__ == "__main__":
    main()
