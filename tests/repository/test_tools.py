"""The tools of those who release, measure and test: each is tried once."""

import socket

import concerned
import pytest
from shared import ROOT, ran

pytestmark = pytest.mark.nightly


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
        ("mipbook/stored/arrays/table1.npz", "tests/figures/mis/test_figures_mis_m", "tests/tradeoff/"),
        ("tests/shared.py", "tests/repository/test_tools.py", "tests/js/"),
        ("requirements.txt", "tests/repository/test_pins.py", "tests/mip/"),
        ("book/mip/noise.md", "tests/book/test_chapters.py", "tests/mip/"),
    ):
        found = concerned.tests([change])
        assert any(name.startswith(near) and far <= 1 for name, far in found.items()), found
        assert not any(name.startswith(out) for name in found), found
        assert list(found.values()) == sorted(found.values())
