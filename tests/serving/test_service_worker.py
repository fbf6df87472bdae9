"""A worker and the notebooks that it reads, without a server."""

from __future__ import annotations

import json
import subprocess
import sys

import nbformat
import pytest
from conftest import notebook

from explorable.serve.service import notebooks, worker
from explorable.serve.service.options import Options, read

DASK = """
import joblib
from distributed import LocalCluster
from explorable.serve.service.worker import begin

if __name__ == "__main__":
    with LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        begin(2**20, 20.0, cluster.scheduler_address)
        backend, _ = joblib.parallel.get_active_backend()
        print(type(backend).__name__, joblib.Parallel(n_jobs=2)([joblib.delayed(abs)(-3)]))
"""


def test_sweeps_go_to_a_dask_scheduler_that_is_named():
    done = subprocess.run([sys.executable, "-c", DASK], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "DaskDistributedBackend [3]", done.stderr


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["1 + 1"], "a cell that shows a panel"),
        (["from mipbook import figures\nfigures"], "a cell that shows a panel"),
        (
            ["from mipbook import figures\nfrom explorable.panels import Explorable"]
            + ["Explorable(figures.pmp.four_epsilons)"] * 2,
            "two are four-epsilons",
        ),
    ],
)
def test_a_notebook_that_cannot_be_served_is_refused_by_name(tmp_path, cells, said):
    nbformat.write(notebook(*cells), tmp_path / "mine.ipynb")
    with pytest.raises(ValueError, match=said) as found:
        worker.described(str(tmp_path))
    assert "mine.ipynb" in str(found.value)


def test_the_command_says_what_cannot_be_served_in_one_line(tmp_path):
    nbformat.write(notebook("print(1)\n1 / 0"), tmp_path / "mine.ipynb")
    done = subprocess.run(
        [sys.executable, "-m", "mipbook", "serve", str(tmp_path), "--port", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("mipbook serve: folder = ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "bad",
    [
        ["--workers", "0"],
        ["--memory", "10"],
        ["--seconds", "-1"],
        ["--queue", "0"],
        ["--dask", "scheduler"],
        ["--base-url", "mip"],
        ["--frame-ancestors", "x; script-src *"],
        ["--host", "http://x"],
    ],
)
def test_options_that_cannot_be_meant_are_refused(bad):
    with pytest.raises(ValueError, match=re_name(bad[0])):
        read(bad)


def re_name(option: str) -> str:
    return f"{option.removeprefix('--')} = .*must be"


def test_the_options_of_a_server_on_this_machine():
    assert read([]).hosts == {"localhost", "127.0.0.1", "[::1]"}
    assert Options(ip="0.0.0.0").hosts is None
    assert Options(ip="0.0.0.0", host=("a.example",)).hosts >= {"a.example"}


def test_the_projects_own_apps_can_all_be_served():
    from shared import ROOT

    for path in sorted((ROOT / "book" / "apps").glob("*.ipynb")):
        app = notebooks.read_app(path)
        assert app.controls
        json.dumps(app.parts, allow_nan=False)
