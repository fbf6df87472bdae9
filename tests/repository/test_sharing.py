"""``pytest -n`` shares the tests between processes, but never the tests of one file."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from shared import ROOT

FILES = ["tests/base/test_validate.py", "tests/ledger/test_ledger.py"]


def test_each_file_stays_in_one_process():
    command = [sys.executable, "-m", "pytest", "-n", "2", "-v", "-p", "no:cacheprovider", *FILES]
    environment = {**os.environ, "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    ran = re.findall(r"^\[(gw\d)\] .*PASSED (\S+?)::", done.stdout, flags=re.M)
    assert len(ran) > 40
    assert sorted({file for _, file in ran}) == FILES
    assert len(set(ran)) == 2, "the tests of one file ran in two processes"
    assert len({worker for worker, _ in ran}) == 2, "one process did everything"
