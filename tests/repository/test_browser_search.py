"""The browser for the tests: where it is looked for, how it is installed, what is said."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import browser as finder
import pytest

pytestmark = pytest.mark.nightly


@pytest.fixture(autouse=True)
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a machine without any browser, whose PATH is the folder ``bin``."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("CHROMIUM", *finder.WINDOWS_FOLDERS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(finder, "MAC_FOLDERS", (tmp_path / "Applications",))
    monkeypatch.setattr(finder, "STAMP", tmp_path / "clone" / ".venv" / "browser")
    monkeypatch.setattr(finder, "ROOT", tmp_path / "clone")
    monkeypatch.setattr(finder, "LOG", tmp_path / "clone" / "_build" / "browser.log")
    (tmp_path / "clone" / ".venv").mkdir(parents=True)
    return tmp_path


def program(path: Path, text: str = "exit 0") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("failures", "line"),
    [
        ({finder.OWN: "Executable doesn't exist"}, finder.NONE),
        ({"chrome": "closed", finder.OWN: ""}, f"{finder.NONE} These do not start: chrome."),
        (
            {finder.OWN: "Host system is missing dependencies to run browsers."},
            f"as root: {sys.executable} -m playwright install-deps chromium",
        ),
        (
            {"chrome": "error while loading shared libraries: libnss3.so", finder.OWN: ""},
            "(chrome) lacks libraries of the system",
        ),
    ],
)
def test_the_advice_is_one_line(failures, line):
    assert line in finder.advice(failures)
    assert "\n" not in finder.advice(failures)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Set up a browser that only starts after a certain command; list what was said and run."""

    def set_up(*, works: str, failure: str = "", uid: int = 1000, fails: str = "") -> list[str]:
        done: list[str] = []

        def run(command: list[str]) -> bool:
            done.append(" ".join(command).removeprefix(f"{sys.executable} -m "))
            return not (fails and fails in done[-1])

        def find() -> str:
            if any(works in line for line in done):
                return "found"
            raise finder.NoBrowser(finder.advice({finder.OWN: failure}))

        monkeypatch.setattr(os, "geteuid", lambda: uid, raising=False)
        monkeypatch.setattr(finder, "run", run)
        monkeypatch.setattr(finder, "find", find)
        try:
            said = finder.set_up()
        except finder.NoBrowser as none:
            said = str(none)
        return [said, *done]

    return set_up


DOWNLOAD = "playwright install --only-shell chromium"
UPDATE = "apt-get update -qq"
PACKAGE = "apt-get install -y -qq --no-install-recommends chromium"


def test_it_is_downloaded_first(machine):
    assert machine(works=DOWNLOAD) == ["found", DOWNLOAD]


def test_it_is_a_package_where_the_download_fails_and_packages_may_be_installed(bare, machine):
    nothing = [finder.NONE, DOWNLOAD]
    assert machine(works=PACKAGE, fails="playwright", uid=0) == nothing, "no apt-get here"
    program(bare / "bin" / "apt-get")
    assert machine(works=PACKAGE, fails="playwright", uid=1000) == nothing, "not root"
    found = ["found", DOWNLOAD, UPDATE, PACKAGE]
    assert machine(works=PACKAGE, fails="playwright", uid=0) == found
    assert machine(works=PACKAGE, fails="update", uid=0) == found
    assert machine(works="nothing", fails="i", uid=0) == [finder.NONE, DOWNLOAD, UPDATE, PACKAGE]


def test_where_one_is_named_nothing_is_installed(machine, monkeypatch):
    monkeypatch.setenv("CHROMIUM", "mine")
    line = "CHROMIUM = 'mine': must be a Chromium, Chrome, Edge or Brave that starts."
    assert machine(works=DOWNLOAD) == [line]
