"""The commands of the project: ``python -m mipbook COMMAND``; ``--help`` after one tells more."""

from explorable import __main__ as engine
from explorable.__main__ import Command

_ANSWERS = {
    "translate": "say what a promise or a mechanism means in every notion",
    "dpsgd": "say what a run of DP-SGD leaks, from both sides",
    "audit": "say what an attack's scores prove: audit scores.csv",
    "release": "release a mean or a median with a promise: release pool.csv",
    "choose": "choose an epsilon for a data set: choose pool.csv",
}
# Errors are in the words of a terminal.
COMMANDS = {
    **engine.COMMANDS,
    "runs": Command("mipbook.commands.answers:runs", "make the stored runs again"),
    **{
        name: Command(f"mipbook.commands.answers:{name}", told, says="mipbook.commands.output:in_options")
        for name, told in _ANSWERS.items()
    },
}


def main() -> None:
    """Run the command that the command line names, or tell which there are."""
    engine.door("mipbook", COMMANDS, "python -m mipbook")


if __name__ == "__main__":
    main()
