"""A missing tool gets one clear line with the mend, and never a skipped test."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

from shared import ROOT


def run(command: list[str], cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_no_browser_is_one_line_before_any_test():
    folder = "tests/browser/test_panel.py"
    command = [sys.executable, "-m", "pytest", folder, "-q", "-p", "no:cacheprovider"]
    done = run(command, ROOT, CHROMIUM="no-such-browser", PYTEST_ADDOPTS="")
    assert done.returncode == 2
    assert re.search(r"^0 of \d+ tests ran, .* 0 were skipped$", done.stdout, flags=re.M)
    assert done.stdout.count("CHROMIUM = 'no-such-browser': must be a Chromium") == 1


def test_build_and_apps_name_a_wrong_folder(tmp_path):
    done = run([sys.executable, "-m", "mipbook", "build"], tmp_path)
    assert done.returncode == 1
    assert "must be the repository's folder" in done.stderr
    done = run([sys.executable, "-m", "mipbook", "apps", "nowhere"], tmp_path)
    assert done.returncode == 1
    assert "folder = 'nowhere': must be a folder with at least one .ipynb app" in done.stderr


def test_apps_name_a_port_that_is_taken():
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = run([sys.executable, "-m", "mipbook", "apps", "--port", port, "--no-browser"], ROOT)
    assert done.returncode == 1
    assert f"port = {port}: must be free; another program listens there" in done.stderr
