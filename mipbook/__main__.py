"""The commands of the project: ``python -m mipbook COMMAND``; ``--help`` after one tells more."""

from __future__ import annotations

import os
import sys
from importlib import import_module

COMMANDS = {
    "build": ("explorable.sphinx.build", "build the book: _build/html"),
    "page": ("explorable.sphinx.page", "build pages that changed, once or as you save (--watch)"),
    "apps": ("explorable.serve.apps", "serve the live apps, each visitor with a kernel"),
    "serve": ("explorable.serve.command", "serve the apps to many, without kernels"),
    "pdf": ("explorable.outputs.pdf.command", "print the built book: one PDF a page, and one of all"),
    "lite": (
        "explorable.outputs.lite.command",
        "make the notebooks a site that runs in a reader's browser: _build/html/lite",
    ),
    "sheets": (
        "explorable.outputs.teach.sheets",
        "write exercises and their solutions as notebooks: sheets mip/noise",
    ),
    "graded": (
        "explorable.outputs.teach.graded",
        "write exercises for a grader: a notebook, tests, a right copy: graded mip/noise",
    ),
    "mutants": ("explorable.checks.mutants.command", "run every check under planted errors"),
    "new-chapter": (
        "explorable.outputs.chapter.command",
        "write a chapter's skeleton, or name what is missing in it",
    ),
    "runs": ("studies.run", "make the stored runs again"),
    "translate": ("mipbook.commands.translate", "say what a promise or a mechanism means in every notion"),
    "audit": ("mipbook.commands.audit", "say what an attack's scores prove: audit scores.csv"),
    "release": ("mipbook.commands.release", "release a mean or a median with a promise: release pool.csv"),
    "choose": ("mipbook.commands.choose", "choose an epsilon for a data set: choose pool.csv"),
}


def main() -> None:
    """Run the command that the command line names, or tell which there are."""
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name not in COMMANDS:
        told = "\n".join(f"  {command:12}{what}" for command, (_, what) in COMMANDS.items())
        usage = f"usage: python -m mipbook COMMAND [OPTIONS]\n\n{told}"
        if name in ("-h", "--help"):
            print(usage)
            return
        sys.exit(f"mipbook: no command {name!r}\n{usage}")
    sys.argv = [f"{sys.argv[0]} {name}", *sys.argv[2:]]
    try:
        import_module(COMMANDS[name][0]).main()
        sys.stdout.flush()
    except BrokenPipeError:
        # Who reads only the first lines, such as head, wants no more; nor may Python at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except KeyboardInterrupt:
        sys.exit(130)
    except (RuntimeError, ValueError) as error:
        sys.exit(f"mipbook {name}: {error}")


if __name__ == "__main__":
    main()
