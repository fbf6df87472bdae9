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


@pytest.fixture
def root(tmp_path):
    """A repository as far as a release reads it."""
    for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def replace(root, name, old, new):
    text = (root / name).read_text(encoding="utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new), encoding="utf-8")


def test_another_version_anywhere_stops_it(root):
    for name, old, new, said in (
        ("CHANGELOG.md", f"## {VERSION}", "## 9.9.9", f"no part '## {VERSION}'"),
        ("CITATION.cff", f"version: {VERSION}", "version: 9.9.9", "CITATION.cff says 9.9.9"),
        ("pyproject.toml", f'version = "{VERSION}"', 'version = "9.9.9"', "pyproject.toml says 9"),
    ):
        replace(root, name, old, new)
        with pytest.raises(release.Refused, match=said):
            release.check(root, f"v{VERSION}")


# --- A missing tool gets one clear line with the mend, and never a skipped test -------------------


def test_build_and_apps_name_a_wrong_folder(tmp_path):
    done = ran("-m", "mipbook", "build", cwd=tmp_path)
    assert done.returncode == 1
    assert "must be the repository's folder" in done.stderr
    done = ran("-m", "mipbook", "apps", "nowhere", cwd=tmp_path)
    assert done.returncode == 1
    assert "folder = 'nowhere': must be a folder with at least one .ipynb app" in done.stderr


def test_apps_name_a_port_that_is_taken():
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = ran("-m", "mipbook", "apps", "--port", port, "--no-browser", cwd=ROOT)
    assert done.returncode == 1
    assert f"port = {port}: must be free; another program listens there" in done.stderr


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
        ("tools/setup.py", "tests/repository/test_setup.py", "tests/mip/"),
    ):
        found = concerned.tests([change])
        assert any(name.startswith(near) and far <= 1 for name, far in found.items()), found
        assert not any(name.startswith(out) for name in found), found
        assert list(found.values()) == sorted(found.values())
