"""Make ``.venv`` with exactly what is pinned: ``python tools/setup.py``, also ``make setup``.

The packages are put there by uv, which takes a tenth of pip's time; where uv cannot, by pip.
Runs under the bare system Python, so it needs the standard library alone; its syntax is that of
Python 3.6, so that an older Python than ours can be told what is needed.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TextIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

DEVNULL = subprocess.DEVNULL
ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
TRIED = ("python3.13", "python3.12", "python3.11")
LOG = "_build/setup.log"
MENDS = {
    r"CERTIFICATE_VERIFY_FAILED": (
        "the package index's certificate is not trusted here. Name the right one in PIP_CERT"
    ),
    r"connection broken by|Max retries exceeded|timed out|Could not fetch URL": (
        "the package index cannot be reached. Connect to the network and try again"
    ),
    r"No space left on device": "the disk is full. Make room (1 GB) and try again",
    r"ensurepip|No module named venv": (
        "Python's venv is missing. Install it, for instance: apt-get install python3-venv"
    ),
}


# What uv is to take over from pip's settings; it reads pip's files no more than pip reads uv's.
SETTINGS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}


def python_of(venv: Path) -> Path:
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def wanted(root: Path) -> str:
    """What the environment is made from, as a digest."""
    digest = hashlib.sha256(str(root).encode())
    for name in ("requirements.txt", "requirements.lock", "pyproject.toml"):
        # What pyproject.toml says to ruff, mypy and pytest changes nothing in the environment.
        digest.update((root / name).read_text(encoding="utf-8").partition("[tool.")[0].encode())
    return digest.hexdigest()


def maker() -> str:
    """Which Python makes the environment."""
    return "{}.{}.{} {}".format(*sys.version_info[:3], sys.base_prefix)


def is_ready(root: Path, named: bool) -> bool:
    """Whether ``.venv`` is whole, up to date, and of the Python that was named, if one was."""
    venv = root / ".venv"
    script = "import sys; print('{}.{}'.format(*sys.version_info))"
    try:
        digest, made_by = (venv / "ready").read_text(encoding="utf-8").splitlines()
        runs = subprocess.check_output([str(python_of(venv)), "-c", script]).decode().strip()
    except (OSError, ValueError, subprocess.CalledProcessError):
        return False
    # The system's Python may have been replaced by one that does not see these packages.
    same = made_by.startswith(runs + ".")
    return same and digest == wanted(root) and (not named or made_by == maker())


def reason(log: str) -> str:
    """What failed and what mends it, in one line, from all that was printed."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    for pattern, mend in MENDS.items():
        if re.search(pattern, "\n".join(lines[-20:])):
            return mend
    no_use = ("ERROR: Ignored", "ERROR: ResolutionImpossible")
    errors = [x for x in lines if x.startswith("ERROR: ") and not x.startswith(no_use)]
    told = (errors or lines or ["nothing was printed"])[-1]
    if "python{}.{}".format(*sys.version_info) not in TRIED:
        told += f" (not tried with this Python; name another: make PYTHON={TRIED[0]})"
    return told[:400]


def remove(path: Path) -> None:
    """Remove an environment; of one that is only a link, the link."""
    if path.is_symlink():
        path.unlink()
    else:
        shutil.rmtree(str(path), ignore_errors=True)


def run(command: list, root: Path, stream: TextIO, **more: str) -> None:
    """Run a command in the repository; what it prints goes to the log."""
    quiet = {"stdin": DEVNULL, "stdout": stream, "stderr": stream}
    subprocess.run(command, cwd=str(root), check=True, env={**os.environ, **more}, **quiet)


def uv_settings(told: str) -> dict:
    """Turn what ``pip config list`` prints into the variables that uv reads."""
    found = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # of several indexes, as pip does
    for line in told.splitlines():
        place, _, value = line.partition("=")
        name = SETTINGS.get(place.rpartition(".")[2])
        if name:
            words = value.strip("'\"").replace("\\n", " ").split()
            found[name] = ("," if name == "UV_FIND_LINKS" else " ").join(words)
    return found


def install(root: Path, python: str, stream: TextIO) -> None:
    """Install what is pinned."""
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    hashed = ["--require-hashes", "-r", "requirements.lock"]
    # What is left is the package itself.
    own = ["--no-deps", "--no-build-isolation", "-r", "requirements.txt"]
    pip_install = [*pip, "install", "--progress-bar=off"]
    try:
        first = ["--retries=1", "--require-hashes", "-r", "deploy/uv.txt"]
        run([*pip_install, *first], root, stream)
        told = subprocess.check_output([*pip, "config", "list"], cwd=str(root)).decode()
        uv = [python, "-m", "uv", "--no-progress", "pip", "install", "--python", python]
        for what in (hashed, own):
            run([*uv, *what], root, stream, **uv_settings(told))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"uv cannot do it ({error!r}), so pip does.", file=stream, flush=True)
        for what in ([*hashed, "--no-deps"], own):
            run([*pip_install, *what], root, stream)


def make(root: Path) -> None:
    """Make ``.venv`` anew; if that fails, what stood there before stands there again."""
    venv, old, log = root / ".venv", root / ".venv.old", root / LOG
    if old.exists():  # a set-up was killed: only a whole environment may replace the old one
        if (venv / "ready").exists():
            remove(old)
        else:
            remove(venv)
            old.rename(venv)
    if venv.exists() or venv.is_symlink():
        venv.rename(old)
    stamp = f"{wanted(root)}\n{maker()}\n"
    # A Python that is itself a virtual one may be the one that has just been put aside.
    base = getattr(sys, "_base_executable", sys.executable)
    try:
        with log.open("w", encoding="utf-8") as stream:
            run([base, "-m", "venv", str(venv)], root, stream)
            install(root, str(python_of(venv)), stream)
        (venv / "ready").write_text(stamp, encoding="utf-8")
    except BaseException:
        remove(venv)
        if old.exists():
            old.rename(venv)
        raise
    remove(old)


def newer_python() -> str:
    """Another Python of this machine that will do, if any."""
    for path in filter(None, map(shutil.which, TRIED)):
        # What is on the PATH may be a shim for a Python that is not there.
        if not subprocess.call([path, "-c", "pass"], stdout=DEVNULL, stderr=DEVNULL):
            return path
    return ""


def main() -> None:
    """Say what is done in one line; say what failed, and what mends it, in one line."""
    named = "--named" in sys.argv[1:]  # with `make PYTHON=...`
    if is_ready(ROOT, named):
        return
    this = "Python {}.{}.{}".format(*sys.version_info[:3])
    if sys.version_info < OLDEST:
        other = newer_python()
        if named or not other:
            sys.exit(
                f"Python 3.11 or newer is needed, and {sys.executable} is {this}. "
                f"Name another: make PYTHON={other or 'python3.11'}"
            )
        sys.exit(subprocess.call([other, *sys.argv]))
    (ROOT / LOG).parent.mkdir(exist_ok=True)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: sys.exit("Set-up was stopped."))
    with (ROOT / "_build/setup.lock").open("w") as lock:
        if fcntl:
            fcntl.flock(lock, fcntl.LOCK_EX)  # of two set-ups at once, one waits for the other
        if is_ready(ROOT, named):
            return
        print(f"Setting up .venv with {this}: a minute or two. Log: {LOG}", flush=True)
        try:
            make(ROOT)
        except subprocess.CalledProcessError:
            log = (ROOT / LOG).read_text(encoding="utf-8", errors="replace")
            sys.exit(f"Set-up failed: {reason(log)}. The whole log is {LOG}.")
        except OSError as error:
            sys.exit(f"Set-up failed: {error}.")
        except KeyboardInterrupt:
            sys.exit("Set-up was interrupted; run it again.")


if __name__ == "__main__":
    main()
