"""Build some pages of the book: ``python -m mipbook page pmp/gaussian``, ``... --watch``.

Pages that are named are rendered anew into the built book, executed only if something that they
depend on has changed; without a name, all pages that changed. The other pages are left as they
stand, and so is the page of results, which needs all checks: ``python -m mipbook build`` makes
the whole book.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from explorable.sphinx.build import GRAMMARS, STAMP, check_root
from explorable.sphinx.names import by_end

__all__ = ["build_pages", "main"]

_BIBLIOGRAPHY = "book/reference/bibliography"


def _names(root: Path, asked: Sequence[str]) -> list[str]:
    """Find pages in the table of contents by the end of their name."""
    from sphinx_external_toc.parsing import parse_toc_yaml

    pages = list(parse_toc_yaml(root / "_toc.yml"))
    return by_end(asked, pages, "page", "page of the book")


def _with_bibliography(root: Path, names: list[str]) -> list[str]:
    """Add the page of references where these have changed: a new one is looked up there."""
    page, references = _BIBLIOGRAPHY, root / "book" / "references.bib"
    built = root / "_build" / "html" / f"{page}.html"
    if not names or page in names or not (references.is_file() and built.is_file()):
        return names
    return [*names, page] if references.stat().st_mtime > built.stat().st_mtime else names


def _source(root: Path, name: str) -> str:
    return next(str(p) for end in (".md", ".ipynb", ".rst") if (p := root / f"{name}{end}").is_file())


def build_pages(root: Path, asked: Sequence[str] = ()) -> list[Path]:
    """Render some pages into ``_build/html``, and return their files; none if none was named.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder, with ``_config.yml``.
    asked : sequence of str
        Pages by their name in ``_toc.yml``, or its end; none for all that changed.

    Raises
    ------
    ValueError
        If ``root`` is not the repository, or a name does not fit one page.
    RuntimeError
        If a page fails; every warning counts as a failure.
    """
    check_root(root)
    names = _with_bibliography(root, _names(root, asked))
    sys.modules.setdefault(GRAMMARS, None)  # type: ignore[arg-type]
    from jupyter_book.sphinx import build_sphinx

    html = root / "_build" / "html"
    # As `jupyter-book build -n` sets it: Sphinx reads everything again after another setting.
    settings: dict[str, Any] = {
        "external_toc_path": (root / "_toc.yml").as_posix(),
        "latex_individualpages": False,
        "nitpicky": True,
        "mipbook_pages": names,
    }
    done = build_sphinx(
        root,
        html,
        noconfig=True,
        path_config=root / "_config.yml",
        confoverrides=settings,
        filenames=[_source(root, name) for name in names],
        warningiserror=True,
        keep_going=True,
        quiet=True,
    )
    if done:
        # What stands there now is no whole book without a fault.
        (root / STAMP).unlink(missing_ok=True)
        raise RuntimeError("the pages were not built; the messages above say why")
    return [html / f"{name}.html" for name in names]


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the pages that the command line names, once or at every change."""
    parser = argparse.ArgumentParser(prog="python -m mipbook page", description=__doc__)
    parser.add_argument("pages", nargs="*", help="such as pmp/gaussian; none for all that changed")
    parser.add_argument("--watch", action="store_true", help="serve it here, rebuild as you save")
    parser.add_argument("--port", type=int, default=8000, help="with --watch (default: 8000)")
    options = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    root = Path.cwd()
    if options.watch:
        from explorable.sphinx.watch import watch

        check_root(root)
        watch(root, _names(root, options.pages), options.port)
        return
    for page in build_pages(root, options.pages):
        print(f"Open {page.as_uri()}")
    if not options.pages:
        print("The page of results stands as the last whole build left it.")
