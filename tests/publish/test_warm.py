"""Kernels that are forks: as good as those that start anew, and nothing is left of them."""

import os
from typing import Any

import psutil
import pytest
from jupyter_cache.executors.utils import single_nb_execution
from nbclient.exceptions import DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook

from explorable.sphinx.build import warm_kernels

pytestmark = [pytest.mark.nightly, pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")]


def executed(manager: Any, folder: Any, *cells: str) -> tuple[list[str], Any]:
    """What the cells print in a kernel of their own, and the error that they end with."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells], metadata={"kernelspec": kernel})
    given = {"kernel_manager_class": manager} if manager else {}
    done = single_nb_execution(notebook, str(folder), 100, False, **given)
    return ["".join(out.get("text", "") for out in c.outputs) for c in notebook.cells], done.err


LOOKS = (
    "import os, sys\nprint(os.getcwd(), os.environ['ASKED'])",
    "print('left' in globals(), 'matplotlib' in sys.modules)\nleft = 1",
    "import numpy as np\nnp.random.seed(3)\nprint(np.random.random(), os.getpid())",
)


def test_a_forked_kernel_is_as_one_that_starts_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKED", "yes")
    cold, _ = executed(None, tmp_path, *LOOKS)
    with warm_kernels() as manager:
        first, error = executed(manager, tmp_path, *LOOKS)
        second, _ = executed(manager, tmp_path, *LOOKS)
        failed, why = executed(manager, tmp_path, "1 / 0", "print('not reached')")
    assert error is None
    assert first[:2] == second[:2] == cold[:2], "a kernel knows nothing of the one before"
    pids = {printed[2].split()[1] for printed in (cold, first, second)}
    assert len(pids) == 3
    assert {printed[2].split()[0] for printed in (cold, first, second)} == {cold[2].split()[0]}
    assert "ZeroDivisionError" in str(why)
    assert failed[1] == ""
    assert not any(psutil.pid_exists(int(pid)) for pid in pids)


def test_a_forked_kernel_that_dies_is_noticed(tmp_path):
    with warm_kernels() as manager, pytest.raises(DeadKernelError):
        executed(manager, tmp_path, "import os\nos.kill(os.getpid(), 9)")
