"""Binder: one list of pins that changes rarely, and the apps inside JupyterLab."""

import subprocess
import sys
import tomllib
from itertools import chain

import binder_steps
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from shared import ROOT, pins

from explorable.serve import options
from mipbook.book import tile

pytestmark = pytest.mark.nightly

FOLDER = ROOT / "binder"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_list_stands_alone_and_holds_what_is_asked_for_in_the_pinned_versions():
    listed, pinned = pins("binder/requirements.txt"), pins("constraints.txt")
    # A line -r, -c or -e would make its layer depend on every file of the repository.
    lines = (FOLDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if line.startswith("-")]
    extras = PROJECT["optional-dependencies"]
    names = ("accounting", "apps", "book", "figures", "learners", "serve")
    wanted = chain(PROJECT["dependencies"], *(extras[name] for name in names))
    asked = {canonicalize_name(Requirement(line).name) for line in wanted} | {*pins("binder/requirements.in")}
    # Extras ask for each other under the project's own name.
    assert asked - {PROJECT["name"]} <= set(listed)
    assert not {"pytest", "mypy", "ruff", "playwright", "dask"} & set(listed)
    both = set(listed) & set(pinned)
    assert len(both) > 120
    assert {n: listed[n] for n in both} == {n: pinned[n] for n in both}, "make it again"


def test_after_the_list_come_package_book_and_viewer():
    steps = (FOLDER / "postBuild").read_text(encoding="utf-8")
    assert subprocess.run(["bash", "-n", FOLDER / "postBuild"], check=False).returncode == 0
    order = ["--no-deps --no-build-isolation -e .", "mipbook build", "set-default-viewer"]
    assert sorted(order, key=steps.index) == order
    assert (FOLDER / "postBuild").stat().st_mode & 0o111


def test_jupyterlab_starts_the_apps_where_it_says():
    """What jupyter-server-proxy reads: the command, with its own words filled in."""
    entries = PROJECT["entry-points"]["jupyter_serverproxy_servers"]
    assert entries == {"mipbook": f"mipbook.book:{tile.__name__}"}
    told = tile()
    filled = [w.format(port=8123, base_url="/user/jovyan/") for w in told["command"]]
    assert filled[:4] == [sys.executable, "-m", "mipbook", "serve"]
    found = options.read(filled[4:])
    assert (found.port, found.base_url) == (8123, "/user/jovyan/mipbook/")
    # It listens to this machine alone, and leaves the host's name to the server in front.
    assert found.is_local
    assert found.hosts is None
    assert told["absolute_url"]
    assert told["launcher_entry"]["path_info"] == "mipbook/"


PLAN = """COPY src/binder/requirements.txt ${REPO_DIR}/binder/requirements.txt
RUN ${KERNEL_PYTHON_PREFIX}/bin/pip install --no-cache-dir -r "binder/requirements.txt"
COPY --chown=0:0 src/ ${REPO_DIR}/
RUN ./binder/postBuild"""


def test_a_plan_that_installs_all_at_each_commit_is_found():
    first, fills, *rest = PLAN.splitlines()
    assert not list(binder_steps.layer_faults(PLAN))
    assert "every commit" in next(binder_steps.layer_faults("\n".join([first, *rest[:1], fills, *rest[1:]])))
    assert "depends on setup.py" in next(binder_steps.layer_faults(f"COPY src/setup.py x\n{PLAN}"))


def test_a_chapter_that_fails_or_shows_no_panel_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("MIPBOOK_STATIC", raising=False)
    head = (ROOT / "book" / "jobs.md").read_text(encoding="utf-8").split("# Get")[0]
    cells = {
        "good": "from explorable.panels import Explorable\nfrom mipbook import figures\n"
        "Explorable(figures.mip.win_factor)",
        "bare": "def Explorable(x):\n    return x\nExplorable(1)",
        "bad": "1 / 0",
    }
    paths = [tmp_path / f"{name}.md" for name in cells]
    for path, cell in zip(paths, cells.values(), strict=True):
        path.write_text(f"{head}\n# Page\n\n```{{code-cell}} ipython3\n{cell}\n```\n", encoding="utf-8")
    faults = [fault.partition(": ")[2] for fault in binder_steps.run_chapters(paths)]
    assert faults == ["0 of 1 panels are live", "ZeroDivisionError: division by zero"]
    assert "good.md: 1 live panels" in capsys.readouterr().out
    assert len(binder_steps.chapters(ROOT)) > 50
