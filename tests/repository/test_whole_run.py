"""A run that left something out is red, also where pytest itself would call it green."""

import os
import subprocess
from pathlib import Path

import pytest
from shared import ROOT, ran

pytestmark = pytest.mark.nightly

FOLDERS = os.pathsep.join(str(ROOT / name) for name in ("tests", "tools"))
# Plugins that say nothing here would take most of the time to load.
SETTINGS = {
    "PYTHONPATH": FOLDERS,
    "PYTEST_ADDOPTS": "",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "CHROMIUM": "none",
}
ONE = "def test_one():\n    pass\n"
SKIP = "import pytest\n\n\n@pytest.mark.skip\n" + ONE
XFAIL = "import pytest\n\n\n@pytest.mark.xfail\n" + ONE.replace("pass", "assert False")
EXIT = ONE.replace("pass", "import pytest; pytest.exit('enough', returncode=0)")
XDIST = ("-p", "xdist", "-n", "1")


def run(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    (folder / "test_last.py").write_text(ONE, encoding="utf-8")
    words = ("-m", "pytest", "-q", "-p", "whole_run", "--rootdir=.", *options)
    return ran(*words, cwd=folder, env={**os.environ, **SETTINGS})


@pytest.mark.parametrize(
    ("text", "options", "ran", "skipped"),
    [(ONE, XDIST, 2, 0), (SKIP, XDIST, 1, 1), (XFAIL, (), 1, 1), (EXIT, (), 0, 0)],
    ids=["one", "skip", "xfail", "exit"],
)
def test_only_a_whole_run_is_green(tmp_path, text, options, ran, skipped):
    done = run(tmp_path, text, *options)
    assert f"{ran} of 2 tests ran, 0 in a browser, {skipped} were skipped" in done.stdout
    assert (done.returncode == 0) == (text == ONE)


def test_a_missing_browser_ends_the_run_before_it_starts(tmp_path):
    done = run(tmp_path / "tests" / "browser", ONE, f"--rootdir={tmp_path}", *XDIST)
    assert done.returncode == 2
    assert "0 of 2 tests ran" in done.stdout
    assert len([x for x in done.stdout.splitlines() if "CHROMIUM = 'none': must be" in x]) == 1
