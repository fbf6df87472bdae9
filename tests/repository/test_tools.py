"""The tools of those who release, measure and test: each is tried once."""

import os
import shutil
import socket
import tomllib

import concerned
import prose
import pytest
import release
from shared import ROOT, ran

pytestmark = pytest.mark.nightly

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def test_another_version_anywhere_stops_a_release(tmp_path):
    for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    for name, old, new, said in (
        ("CHANGELOG.md", f"## {VERSION}", "## 9.9.9", f"no part '## {VERSION}'"),
        ("CITATION.cff", f"version: {VERSION}", "version: 9.9.9", "CITATION.cff says 9.9.9"),
        ("pyproject.toml", f'version = "{VERSION}"', 'version = "9.9.9"', "pyproject.toml says 9"),
    ):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert old in text
        (tmp_path / name).write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(release.Refused, match=said):
            release.check(tmp_path, f"v{VERSION}")


def test_a_wrong_folder_and_a_port_that_is_taken_are_told_in_one_line(tmp_path):
    with socket.create_server(("localhost", 0)) as taken:
        port = str(taken.getsockname()[1])
        for where, words, said in (
            (tmp_path, ["build"], "must be the repository's folder"),
            (tmp_path, ["apps", "nowhere"], "folder = 'nowhere': must be a folder with at least one .ipynb"),
            (ROOT, ["apps", "--port", port, "--no-browser"], f"port = {port}: must be free; another"),
        ):
            done = ran("-m", "mipbook", *words, cwd=where)
            assert done.returncode == 1
            assert said in done.stderr


def test_tests_that_reach_a_change_are_found_the_nearest_first_and_no_others():
    for change, near, out in (
        ("mipbook/mip/conversion.py", "tests/mip/test_mip_conversion.py", "tests/explore/"),
        ("mipbook/stored/arrays/table1.npz", "tests/figures/test_figures_values.py", "tests/tradeoff/"),
        ("tests/data/mip_reference.json", "tests/repository/test_repository.py", "tests/pmp/"),
        ("requirements.txt", "tests/repository/test_repository.py", "tests/mip/"),
        ("book/mip/noise.md", "tests/book/test_chapters.py", "tests/mip/"),
    ):
        found = concerned.tests([change])
        assert any(name.startswith(near) and far <= 1 for name, far in found.items()), found
        assert not any(name.startswith(out) for name in found), found
        assert list(found.values()) == sorted(found.values())


def test_english_is_read_between_numbers_and_on_buttons_and_code_is_not():
    for text in (
        "About {eval}`one` loose. Who follows comes close. {eval}`two` do.",
        "Press {set}`n=2 | utilise` now.",
    ):
        assert list(prose.faults_in(prose.prose_of(text), prose.ADVICE)), text
    for text in ("{eval}`utilise` and `utilise`", "```python\nutilise it\n```\n", "{set}`utilise=2 | n`"):
        assert not list(prose.faults_in(prose.prose_of(text), prose.ADVICE)), text


# --- A run of tests that left something out is red, also where pytest itself would call it green -----

# Plugins that say nothing here would take most of the time to load.
SETTINGS = {"PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CHROMIUM": "none"}
SETTINGS["PYTHONPATH"] = os.pathsep.join(str(ROOT / name) for name in ("tests", "tools"))
ONE = "import pytest\n\n\ndef test_one():\n    pass\n"
SKIP = ONE.replace("def", "@pytest.mark.skip\ndef")
XFAIL = ONE.replace("def", "@pytest.mark.xfail\ndef").replace("pass", "assert False")
EXIT = ONE.replace("pass", "pytest.exit('enough', returncode=0)")
XDIST = ("-p", "xdist", "-n", "1")


def run(folder, text, *options):
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    (folder / "test_last.py").write_text(ONE, encoding="utf-8")
    words = ("-m", "pytest", "-q", "-p", "whole_run", "--rootdir=.", *options)
    return ran(*words, cwd=folder, env={**os.environ, **SETTINGS})


def test_only_a_whole_run_is_green_and_a_missing_browser_ends_it_before_it_starts(tmp_path):
    for text, options, passed, skipped in (
        (ONE, XDIST, 2, 0),
        (SKIP, XDIST, 1, 1),
        (XFAIL, (), 1, 1),
        (EXIT, (), 0, 0),
    ):
        done = run(tmp_path, text, *options)
        assert f"{passed} of 2 tests ran, 0 in a browser, {skipped} were skipped" in done.stdout
        assert (done.returncode == 0) == (text == ONE)
    folder = tmp_path / "tests" / "browser"
    folder.mkdir(parents=True)
    done = run(folder, ONE, f"--rootdir={tmp_path}", *XDIST)
    assert done.returncode == 2
    assert "0 of 2 tests ran" in done.stdout
    assert len([x for x in done.stdout.splitlines() if "CHROMIUM = 'none': must be" in x]) == 1
