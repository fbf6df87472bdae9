"""A missing tool gets one clear line with the mend, and never a skipped test."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(command: list[str], cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_browser_is_a_failure_with_the_mend(tmp_path):
    target = "tests/browser/test_panel.py::test_typed_values"
    command = [sys.executable, "-m", "pytest", target, "-q", "-p", "no:cacheprovider"]
    done = run(command, ROOT, PATH=str(tmp_path), CHROMIUM="")
    assert done.returncode != 0
    assert "apt-get install chromium" in done.stdout
    assert "skipped" not in done.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("Makefile", "requirements.txt", "constraints.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("fake", "line"),
    [
        (None, "Python is missing. Install Python 3.11"),
        ("exit 1", "Python 3.11 or newer is needed"),
        ('case "$2" in *ensurepip*) exit 1;; esac; exit 0', "apt-get install python3-venv"),
        ('case "$1" in -m) mkdir .venv; exit 1;; esac; exit 0', "could not be made"),
    ],
)
def test_make_names_what_is_missing(copy, fake, line):
    python = script(copy / "fakepython", fake) if fake else "no-such-python"
    done = run(["make", "book", f"PYTHON={python}"], copy)
    assert done.returncode != 0
    assert line in done.stdout
    assert not (copy / ".venv").exists(), "a half-made environment is left"


def test_build_and_apps_name_a_wrong_folder(tmp_path):
    done = run([sys.executable, "-m", "mipbook.build"], tmp_path)
    assert done.returncode == 1
    assert "must be the repository's folder" in done.stderr
    done = run([sys.executable, "-m", "mipbook.apps", "nowhere"], tmp_path)
    assert done.returncode == 1
    assert "folder = 'nowhere': must be a folder with at least one .ipynb app" in done.stderr


def test_apps_name_a_port_that_is_taken():
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = run([sys.executable, "-m", "mipbook.apps", "--port", port, "--no-browser"], ROOT)
    assert done.returncode == 1
    assert f"port = {port}: must be free; another program listens there" in done.stderr
