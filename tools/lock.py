"""Write every list that is installed from, each file of each package by its digest.

``python tools/lock.py``, after ``constraints.txt`` or ``pyproject.toml`` changed.  What comes from
a package index later must be what was there when this ran.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = ("--quiet", "--generate-hashes", "--no-header", "--no-annotate", "--upgrade")
LOCKS = {
    "requirements.lock": ("3.11", "constraints.txt", "--no-deps"),
    "deploy/uv.txt": ("3.11", "-", "--no-deps", "--constraint=constraints.txt"),
    "binder/requirements.txt": (
        *("3.11", "pyproject.toml", "binder/requirements.in", "--constraint=constraints.txt"),
        *(f"--extra={extra}" for extra in ("accounting", "apps", "book", "learners", "serve")),
    ),
    "deploy/requirements.txt": (
        *("3.12", "pyproject.toml", "--constraint=constraints.txt"),
        *(f"--extra={extra}" for extra in ("accounting", "learners", "serve")),
    ),
}


def main() -> None:
    for name, (python, *wanted) in LOCKS.items():
        command = [sys.executable, "-m", "uv", "pip", "compile", *OPTIONS, *wanted]
        asked = [f"--python-version={python}", "--index-strategy=unsafe-best-match"]
        given = {"input": b"uv", "stdout": subprocess.PIPE}
        done = subprocess.run([*command, *asked], cwd=ROOT, check=True, **given)
        head = "# Made by tools/lock.py; do not edit.\n"
        (ROOT / name).write_text(head + done.stdout.decode(), encoding="utf-8")
        print(f"{name}: {done.stdout.count(b'==')} packages")


if __name__ == "__main__":
    main()
