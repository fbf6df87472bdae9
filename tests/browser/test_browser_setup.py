"""The set-up of the browser with a real one, on a machine that seems to have none."""

import os
import subprocess
import sys
from pathlib import Path

import browser as finder
import psutil
import pytest

# As root, away from the places of macOS, and in a folder of its own.
AS_ROOT = """
import os, pathlib, sys, browser
os.geteuid = lambda: 0
browser.MAC_FOLDERS = ()
browser.ROOT = pathlib.Path(sys.argv[1])
browser.LOG = browser.ROOT / "log"
browser.STAMP = browser.ROOT / "stamp"
browser.main()
"""


def program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.nightly
def test_the_package_is_installed_where_nothing_can_be_downloaded(browser, tmp_path):
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    (running,) = [process["id"] for process in processes if process["type"] == "browser"]
    installed = tmp_path / "chromium"
    program(tmp_path / "package", f'exec "{psutil.Process(running).exe()}" "$@"')
    program(tmp_path / "apt-get", f"[ $1 = install ] || exit 100; /bin/mv '{tmp_path}/package' '{installed}'")
    environment = {k: v for k, v in os.environ.items() if k not in finder.WINDOWS_FOLDERS}
    environment |= {
        "PATH": str(tmp_path),
        "CHROMIUM": "",
        "PYTHONPATH": str(Path(finder.__file__).parent),
        "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "none"),
        "PLAYWRIGHT_DOWNLOAD_HOST": "http://127.0.0.1:9",
    }
    done = subprocess.run(
        [sys.executable, "-c", AS_ROOT, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [line.partition(" for ")[0] for line in done.stdout.splitlines()] == [
        "Downloading a browser",
        "Installing the package chromium",
    ]
    assert (tmp_path / "stamp").read_text(encoding="utf-8") == f"{installed}\n"
