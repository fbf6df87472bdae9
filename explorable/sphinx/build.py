"""Build the book: ``python -m mipbook build`` writes ``_build/html`` and says where it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

__all__ = ["GRAMMARS", "START", "build", "check_root", "is_current", "main"]

# Only to know addresses with accents, jsonschema would compile the 38 grammars of this module, a
# second and a half; it does without them where they are missing.
GRAMMARS = "rfc3987_syntax"
# The package offers no ``python -m``, so its own entry point is called.
START = (
    f"import sys; sys.modules['{GRAMMARS}'] = None; from jupyter_book.cli.main import main; sys.exit(main())"
)
STAMP = Path("_build", "html", ".built")  # with the pages of a whole book, from before its build


def check_root(root: Path) -> None:
    """Refuse a folder that is not the repository."""
    if not (root / "_config.yml").is_file():
        raise ValueError(f"root = {str(root)!r}: must be the repository's folder, with _config.yml")


def build(root: Path) -> Path:
    """Execute the chapters that changed, write the HTML book, return its first page.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder, with ``_config.yml``.

    Returns
    -------
    pathlib.Path
        The first page of the book.

    Raises
    ------
    ValueError
        If ``root`` is not the repository.
    RuntimeError
        If the build fails; every warning counts as a failure.
    """
    check_root(root)
    started = time.time()
    # Warnings are only raised for pages that are read, so every build reads them all;
    # executed notebooks stay in the cache.
    for stale in ("html", ".doctrees"):
        shutil.rmtree(root / "_build" / stale, ignore_errors=True)
    options = ["build", str(root), "-W", "-n", "--keep-going"]
    if subprocess.run([sys.executable, "-c", START, *options], cwd=root, check=False).returncode:
        raise RuntimeError("the book was not built; the messages above say why")
    (root / STAMP).touch()
    os.utime(root / STAMP, (started, started))
    return root / "_build" / "html" / "index.html"


def is_current(root: Path) -> bool:
    """Say whether the book was built, whole and without a failure, from what stands there now.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.

    Returns
    -------
    bool
        True if no chapter, no line of the package and no pin is newer than the start of the
        last build that succeeded.
    """
    sources = [root / name for name in ("_config.yml", "_toc.yml", "constraints.txt")]
    sources += [
        path
        for folder in ("book", "mipbook")
        for path in (root / folder).rglob("*")
        if path.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & {*path.parts}
    ]
    stamp = root / STAMP
    newest = max(path.stat().st_mtime for path in sources)
    return stamp.is_file() and stamp.stat().st_mtime >= newest


def main() -> None:
    """Build the book in the current folder."""
    page = build(Path.cwd())
    print(f"\nThe book is built. Open {page.as_uri()}")
