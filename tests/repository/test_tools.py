"""The tools of those who release, measure and test: each is tried once."""

import shutil
import socket
import tomllib

import concerned
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


# --- `make check` and the day's run choose what a change concerns, the nearest first --------------


def test_tests_that_reach_a_change_are_found_and_no_others():
    for change, near, out in (
        ("mipbook/mip/conversion.py", "tests/mip/test_mip_conversion.py", "tests/explore/"),
        ("mipbook/figures/mip/definition.py", "tests/figures/mip/", "tests/pmp/"),
        ("explorable/validate.py", "tests/base/test_checked.py", "tests/js/"),
        ("mipbook/stored/arrays/table1.npz", "tests/figures/mis/test_figures_mis_m", "tests/tradeoff/"),
        ("mipbook/stored/gone.py", "tests/repository/test_fuzz.py", "tests/tradeoff/"),
        ("tests/shared.py", "tests/repository/test_tools.py", "tests/js/"),
        ("tests/data/mip_reference.json", "tests/repository/test_repository.py", "tests/pmp/"),
        ("requirements.txt", "tests/repository/test_pins.py", "tests/mip/"),
        ("book/mip/noise.md", "tests/book/test_chapters.py", "tests/mip/"),
        ("tools/javascript.py", "tests/repository/test_workflows.py", "tests/mip/"),
    ):
        found = concerned.tests([change])
        assert any(name.startswith(near) and far <= 1 for name, far in found.items()), found
        assert not any(name.startswith(out) for name in found), found
        assert list(found.values()) == sorted(found.values())
