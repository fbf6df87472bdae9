"""The commands of the engine: ``explorable COMMAND``; ``--help`` after one tells more."""

import io
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

# What the libraries that no command asks for by itself come with.
_EXTRAS = {
    "dp_accounting": "accounting",
    "mlxtend": "learners",
    "mpmath": "accounting",
    "sklearn": "learners",
}


class Command(NamedTuple):
    """What runs, what it does in one line, the extra it takes, a module of that, what words its errors."""

    target: str
    told: str
    extra: str = "figures"
    needs: str = "numpy"
    says: str = ""


def _own(target: str, told: str, extra: str = "book", needs: str = "jupyter_book") -> Command:
    return Command(f"explorable.{target}", told, extra, needs)


COMMANDS = {
    "build": _own("sphinx.build:main", "build the book: _build/html"),
    "page": _own("sphinx.build:main_page", "build pages that changed, once or as you save (--watch)"),
    "apps": _own("serve.apps:main", "show the apps as notebooks, on this computer alone", "apps", "voila"),
    "serve": _own("serve.server:main", "serve the apps to many, without kernels", "serve", "hypercorn"),
    "pdf": _own(
        "outputs.pdf:main", "print the built book: one PDF a page, and one of all", "pdf", "playwright"
    ),
    "lite": _own(
        "outputs.lite:main",
        "make the notebooks a site that runs in a reader's browser: _build/html/lite",
        "lite",
        "jupyterlite_core",
    ),
    "sheets": _own(
        "outputs.sheets:main", "write exercises and their solutions as notebooks: sheets mip/noise"
    ),
    "graded": _own(
        "outputs.sheets:graded",
        "write exercises for a grader: a notebook, tests, a right copy: graded mip/noise",
    ),
    "mutants": _own("checks.book:main", "run every check under planted errors"),
    "new-chapter": _own(
        "outputs.new_chapter:main", "write a chapter's skeleton, or name what is missing in it"
    ),
}


def door(program: str, commands: Mapping[str, Command], called: str) -> None:
    """Run the command that the command line names, or tell which there are.

    Parameters
    ----------
    program : str
        What a message starts with.
    commands : mapping
        By name.
    called : str
        How the program is called, for its usage.
    """
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    told = "\n".join(f"  {command:12}{each.told}" for command, each in commands.items())
    usage = f"usage: {called} COMMAND [OPTIONS]\n\n{told}"
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Not each terminal has an ε: a sign that it lacks must not cost the answer.
        sys.stdout.reconfigure(errors="replace")
    try:
        if name in ("-h", "--help"):
            print(usage, flush=True)
            return
        if name == "--version":
            print(f"{program} {import_module(program).__version__}", flush=True)
            return
        if name not in commands:
            sys.exit(f"{program}: no command {name!r}\n{usage}")
        sys.argv = [f"{sys.argv[0]} {name}", *sys.argv[2:]]
        module, _, function = commands[name].target.partition(":")
        if find_spec(commands[name].needs) is None:
            raise ModuleNotFoundError(name=commands[name].needs)
        getattr(import_module(module), function)()
        sys.stdout.flush()
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in ("", "explorable", program):
            raise
        extra = _EXTRAS.get(missing, commands[name].extra)
        sys.exit(
            f'{program} {name}: {missing} is not installed; it comes with pip install "mipbook[{extra}]"'
        )
    except BrokenPipeError:
        # Who reads only the first lines, such as head, wants no more; nor may Python at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except KeyboardInterrupt:
        sys.exit(130)
    except (RuntimeError, ValueError) as error:
        said = str(error)
        if commands[name].says:
            place, _, own = commands[name].says.partition(":")
            said = getattr(import_module(place), own)(said, sys.argv[1:])
        sys.exit(f"{program} {name}: {said}")


def main() -> None:
    """Run a command of the engine."""
    door("explorable", COMMANDS, "python -m explorable")


if __name__ == "__main__":
    main()
