"""`make setup` makes a whole environment or none, and says in one line what is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import setup
from shared import ROOT

pytestmark = pytest.mark.nightly

FILES = ("Makefile", "pyproject.toml", "tools/setup.py", "deploy/uv.txt")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Give a copy of what the set-up reads; it asks for no package, so that pip has no work."""
    clone = tmp_path / "clone"
    for folder in ("tools", "deploy"):
        (clone / folder).mkdir(parents=True)
    for name in FILES:
        shutil.copy(ROOT / name, clone / name)
    for name in ("requirements.txt", "requirements.lock"):
        (clone / name).write_text("# nothing\n", encoding="utf-8")
    return clone


def program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_a_missing_python_is_named(copy):
    """Run make as a reader does, not as a part of the make that runs these tests."""
    inherited = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "PYTHON")}
    command = ["make", "setup", "PYTHON=no-such-python"]
    done = subprocess.run(command, cwd=copy, env=inherited, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    lines = (done.stdout + done.stderr).splitlines()
    (line,) = (line for line in lines if not line.startswith("make: ***"))
    assert line.startswith("Python is missing. Install Python 3.11 or newer, for instance: apt-")
    assert not (copy / ".venv").exists()


@pytest.fixture
def quick(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let a quick script make the environment; its pip fails where there is a file ``broken``."""
    inside = f'#!/bin/sh\necho "$2 $*" >>{copy / "asked"}; case "$2" in\n'
    inside += "uv) test ! -e no-uv -a ! -e broken; exit;;\npip) test ! -e broken; exit;; esac\n"
    inside += f'exec {sys.executable} "$@"'
    makes = f"mkdir -p $3/bin; cat >$3/bin/python <<'END'\n{inside}\nEND\nchmod +x $3/bin/python"
    monkeypatch.setattr(sys, "_base_executable", program(copy / "fake", makes))
    (copy / "_build").mkdir()
    return copy


def test_a_setup_that_fails_leaves_what_was_there(quick):
    (quick / "broken").touch()
    with pytest.raises(subprocess.CalledProcessError):
        setup.make(quick)
    assert not (quick / ".venv").exists(), "a half-made environment is left"
    (quick / "broken").unlink()
    setup.make(quick)
    (quick / ".venv" / "of old").touch()
    (quick / "broken").touch()
    with pytest.raises(subprocess.CalledProcessError):
        setup.make(quick)
    assert (quick / ".venv" / "of old").exists()
    assert setup.is_ready(quick, named=True)
    (quick / "broken").unlink()
    setup.make(quick)
    assert not (quick / ".venv" / "of old").exists()
    assert not (quick / ".venv.old").exists()
