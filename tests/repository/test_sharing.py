"""``pytest -n`` shares the tests between processes, but never the tests of one file."""

import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from shared import ROOT

FILES = ["tests/base/test_validate.py", "tests/ledger/test_ledger.py"]


def test_each_file_stays_in_one_process():
    command = [sys.executable, "-m", "pytest", "-n", "2", "-v", "-p", "no:cacheprovider", *FILES]
    environment = {**os.environ, "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    ran = re.findall(r"^\[(gw\d)\] .*PASSED (\S+?)::", done.stdout, flags=re.M)
    assert len(ran) > 40
    assert sorted({file for _, file in ran}) == FILES
    assert len(set(ran)) == 2, "the tests of one file ran in two processes"
    assert len({worker for worker, _ in ran}) == 2, "one process did everything"


class Item(SimpleNamespace):
    """As much of a test as the order of tests looks at."""

    def __init__(self, nodeid: str, *fixtures: str) -> None:
        path = ROOT / nodeid.partition("::")[0]
        super().__init__(nodeid=nodeid, path=path, fixturenames=fixtures)


def test_what_took_longest_comes_first_and_the_book_before_all(pytestconfig: pytest.Config):
    settings = pytestconfig.pluginmanager.get_plugin(str(ROOT / "tests" / "conftest.py"))
    page = "tests/browser/test_book_pages.py::test_it"
    items = [
        Item("tests/mip/test_quick.py::test_one"),
        Item(f"{page}[book/mip/noise]", "built_book"),
        Item(f"{page}[book/pmp/gaussian]", "built_book"),
        Item("tests/mip/test_new.py::test_one"),
        Item("tests/mip/test_slow.py::test_one"),
        Item("tests/mip/test_slow.py::test_two"),
        Item("tests/browser/test_apps.py::test_it[release.ipynb]", "built_book", "apps"),
        Item("tests/serving/test_door.py::test_one"),
        Item(f"{page}[book/index]", "built_book"),
    ]
    seconds = {
        "tests/mip/test_quick.py::test_one": 2.0,
        "tests/mip/test_slow.py::test_one": 1.5,
        "tests/mip/test_slow.py::test_two": 1.5,
        f"{page}[book/pmp/gaussian]": 90.0,
    }
    given = SimpleNamespace(workerinput={settings.SECONDS: seconds}, getoption=lambda name: True)
    order = [8, 7, 4, 5, 0, 3, 6, 2, 1]
    wanted = [items[i].nodeid for i in order]
    settings.pytest_collection_modifyitems(given, items)
    assert [item.nodeid for item in items] == wanted
