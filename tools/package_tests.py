"""Test the package under other versions than the pinned ones: ``python tools/package_tests.py``.

It makes an environment of its own in ``_build/ranges`` from what ``pyproject.toml`` allows: the
oldest packages (``lowest-direct``), the newest (``highest``), or those that are pinned
(``pinned``), on any Python that is named. Pages, browser and servers are left to the whole run.
"""

import argparse
import os
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESOLUTIONS = ("pinned", "lowest-direct", "highest")
# What needs the book, a browser, a server or this repository's history.
LEFT_OUT = {"book", "browser", "js", "publish", "repository", "serving"}


def folders(root: Path) -> list[str]:
    """Return the folders of tests that concern the package alone."""
    found = (path for path in sorted((root / "tests").iterdir()) if any(path.glob("test_*.py")))
    return [path.relative_to(root).as_posix() for path in found if path.name not in LEFT_OUT]


def extras(root: Path) -> list[str]:
    """Return the extras of the package, so that each has its range tried."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return sorted(project["optional-dependencies"])


def commands(resolution: str, python: str, venv: Path) -> list[list[str]]:
    """Return what is run: uv makes and fills the environment, pytest tests in it."""
    uv = [sys.executable, "-m", "uv"]
    inside = str(venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    # An old package may warn of what a newer one of its friends will take away.
    quiet = ["-W", "ignore::DeprecationWarning"] if resolution == "lowest-direct" else []
    if resolution == "pinned":
        what = ["-r", "requirements.lock", "-e", "."]
    else:
        what = ["-e", f".[{','.join(extras(ROOT))}]", "--group", "dev", "--resolution", resolution]
    return [
        [*uv, "venv", "--clear", "--python", python, str(venv)],
        [*uv, "pip", "install", "--python", inside, *what],
        [inside, "-m", "pytest", "-n", "auto", *quiet, *folders(ROOT)],
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the environment and run the tests; leave with the code of what failed first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("resolution", choices=RESOLUTIONS)
    parser.add_argument("--python", default=sys.executable, help="a version or a path")
    parser.add_argument("--show", action="store_true", help="print the commands, run nothing")
    told = parser.parse_args(arguments)
    venv = ROOT / "_build" / "ranges"
    for command in commands(told.resolution, told.python, venv):
        print("$", *command, flush=True)
        if not told.show and (code := subprocess.run(command, cwd=ROOT, check=False).returncode):
            sys.exit(code)


if __name__ == "__main__":
    main()
