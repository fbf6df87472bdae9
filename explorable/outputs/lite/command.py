"""Build the site that runs in a reader's browser: ``python -m mipbook lite``.

It writes ``_build/html/lite``: JupyterLite with every chapter and app, and Python with all that
they need; no server computes anything, and nothing is asked of another host.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from explorable.outputs.here import list_engine
from explorable.outputs.lite import offer
from explorable.outputs.lite.engine import Sources
from explorable.sphinx.build import check_root

__all__ = ["main"]


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mipbook lite", description=__doc__)
    where = parser.add_mutually_exclusive_group()
    told = "a folder with the compiled packages, fetched before; each is verified"
    where.add_argument("--pyodide-files", type=Path, metavar="FOLDER", help=told)
    told = "leave the compiled packages out: the site opens, but no chapter runs in it"
    where.add_argument("--bare", action="store_true", help=told)
    told = "let the reader's browser fetch the compiled packages from Pyodide's host"
    where.add_argument("--cdn", action="store_true", help=told)
    return parser.parse_args(sys.argv[1:] if arguments is None else arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the site beside the book, and tell the pages of it.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line, by default the process's own; ``--help`` tells what it takes.

    Raises
    ------
    ValueError
        If the folder is not the repository's, or a given file is not the one that is listed.
    RuntimeError
        If the book is not built, or something could not be had; then nothing is written.
    """
    asked = _parse(arguments)
    root = Path.cwd()
    check_root(root)
    html = root / "_build" / "html"
    if not (html / "_static").is_dir():
        raise RuntimeError("the book is not built; first: python -m mipbook build")
    sources = Sources(asked.pyodide_files, asked.bare, asked.cdn)
    try:
        from explorable.outputs.lite.site import make
    except ImportError as error:
        lacks = f"{error.name} is missing. Install it: pip install -e '.[lite]'"
        raise RuntimeError(lacks) from error
    told = make(root, html / offer.SITE, sources)
    list_engine(html)
    size = f"{told['site_bytes'] / 1e6:.0f} MB, {len(told['notebooks'])} notebooks"
    print(f"{html / offer.SITE}: {size}, Python {told['python']}")
    if not offer.tell(html):
        missing = ", ".join(told["missing"])
        print(f"Without {missing} no chapter runs there, so the pages do not offer it.")
    if told["elsewhere"]:
        print(f"A reader's browser fetches the compiled packages from {told['elsewhere']}.")
