"""Build the book: ``python -m mipbook.build`` writes ``_build/html`` and says where it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

__all__ = ["BUILT", "build", "main"]

BUILT = ".built"  # stands among the pages of a whole book, as old as the start of its build


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
    if not (root / "_config.yml").is_file():
        raise ValueError(f"root = {str(root)!r}: must be the repository's folder, with _config.yml")
    started = time.time()
    # Warnings are only raised for pages that are read, so every build reads them all;
    # executed notebooks stay in the cache.
    for stale in ("html", ".doctrees"):
        shutil.rmtree(root / "_build" / stale, ignore_errors=True)
    # The package offers no ``python -m``, so its own entry point is called.
    start = "import sys; from jupyter_book.cli.main import main; sys.exit(main())"
    options = ["build", str(root), "-W", "-n", "--keep-going"]
    if subprocess.run([sys.executable, "-c", start, *options], cwd=root, check=False).returncode:
        raise RuntimeError("the book was not built; the messages above say why")
    # Pages of a build that failed or was stopped must not pass for the book, nor what was edited
    # meanwhile for a part of it.
    stamp = root / "_build" / "html" / BUILT
    stamp.touch()
    os.utime(stamp, (started, started))
    return root / "_build" / "html" / "index.html"


def main() -> None:
    """Build the book in the current folder."""
    try:
        page = build(Path.cwd())
    except (RuntimeError, ValueError) as error:
        sys.exit(f"mipbook.build: {error}")
    print(f"\nThe book is built. Open {page.as_uri()}")


if __name__ == "__main__":
    main()
