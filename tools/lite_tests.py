"""Run the package's tests in the Python of browsers: ``python tools/lite_tests.py tests/mip``.

Node runs the same runtime, list and wheels that ``python -m mipbook lite`` serves, and pytest in
it.  Without a folder all tests of the package run; pages, browser and servers are left out.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import javascript
from package_tests import folders

from explorable.outputs.lite import KEPT
from explorable.outputs.lite_python import FOLDER, Sources, engine, pure_wheels

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "tools" / "js" / "pyodide.js"
PINS = ROOT / "tools" / "lite_tests.txt"
RUN = """
import os, sys
import pytest
os.chdir("/repo")
sys.path[:0] = ["/repo/tests", "/repo/tools"]
quiet = ["-q", "-ra", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", "/repo"]
code = int(pytest.main([*quiet, *{asked!r}]))
"""


def run(asked: Sequence[str], sources: Sources, root: Path = ROOT) -> int:
    """Run pytest there on paths below a folder; return its code.

    Parameters
    ----------
    asked : sequence of str
        What pytest is to run.
    sources : Sources
        Where the compiled packages come from.
    root : pathlib.Path
        The folder that is seen there.
    """
    kept = ROOT / KEPT
    testing = pure_wheels(kept, PINS)
    with tempfile.TemporaryDirectory() as name:
        engine(ROOT, Path(name), kept, sources, testing)
        command = [javascript.NODE, str(SCRIPT), str(Path(name) / FOLDER), str(root)]
        told = RUN.format(asked=list(asked))
        packages = ["mipbook", *(wheel.name for wheel in testing)]
        return subprocess.run([*command, *packages], input=told.encode(), check=False).returncode


def main() -> None:
    """Run the tests; leave with pytest's code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("asked", nargs="*", help="folders or files of tests (default: all)")
    parser.add_argument("--pyodide-files", type=Path, help="the compiled packages, fetched before")
    told = parser.parse_args()
    sys.exit(run(told.asked or folders(ROOT), Sources(told.pyodide_files)))


if __name__ == "__main__":
    main()
