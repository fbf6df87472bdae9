"""Binder: one list of pins that changes rarely, and the apps inside JupyterLab."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from itertools import chain

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from shared import ROOT

from mipbook.publish.serving import options, proxy

FOLDER = ROOT / "binder"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def pins(path):
    """Names and versions; a line that is no pin is an error."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [Requirement(x) for x in lines if x.strip() and not x.startswith(("#", "-"))]
    return {canonicalize_name(x.name): str(x.specifier) for x in found}


def test_the_list_stands_alone_so_that_its_layer_is_kept():
    """A line -r, -c or -e would make all of it depend on every file of the repository."""
    lines = (FOLDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if line.startswith("-")]
    assert all(version.startswith("==") for version in pins(FOLDER / "requirements.txt").values())


def test_the_list_holds_what_is_asked_for_in_the_pinned_versions():
    listed, pinned = pins(FOLDER / "requirements.txt"), pins(ROOT / "constraints.txt")
    extras = PROJECT["optional-dependencies"]
    wanted = chain(
        PROJECT["dependencies"],
        *(extras[name] for name in ("accounting", "apps", "book", "learners")),
        (
            line.partition("#")[0]
            for line in (FOLDER / "requirements.in").read_text(encoding="utf-8").splitlines()
            if line.partition("#")[0].strip()
        ),
    )
    assert {canonicalize_name(Requirement(line).name) for line in wanted} <= set(listed)
    both = set(listed) & set(pinned)
    assert len(both) > 120
    assert {n: listed[n] for n in both} == {n: pinned[n] for n in both}, "make it again"


def test_test_tools_stay_at_home():
    assert not {"pytest", "mypy", "ruff", "playwright", "dask"} & set(
        pins(FOLDER / "requirements.txt")
    )


def test_after_the_list_come_package_book_and_viewer():
    steps = (FOLDER / "postBuild").read_text(encoding="utf-8")
    done = subprocess.run(["bash", "-n", FOLDER / "postBuild"], check=False)
    assert done.returncode == 0
    order = ["--no-deps -e .", "mipbook build", "set-default-viewer"]
    assert sorted(order, key=steps.index) == order
    assert (FOLDER / "postBuild").stat().st_mode & 0o111


def test_jupyterlab_starts_the_apps_where_it_says():
    """What jupyter-server-proxy reads: the command, with its own words filled in."""
    entries = PROJECT["entry-points"]["jupyter_serverproxy_servers"]
    assert entries == {"mipbook": f"{proxy.__name__}:{proxy.server.__name__}"}
    told = proxy.server()
    filled = [w.format(port=8123, base_url="/user/jovyan/") for w in told["command"]]
    assert filled[:4] == [sys.executable, "-m", "mipbook", "apps"]
    found = options.read(filled[4:])
    assert (found.port, found.base_url, found.no_browser) == (8123, "/user/jovyan/mipbook/", True)
    # It listens to this machine alone, and leaves the host's name to the server in front.
    assert found.is_local
    assert found.hosts is None
    assert told["absolute_url"]
    assert told["launcher_entry"]["path_info"] == "mipbook/"


@pytest.mark.parametrize("name", ["**", "*.example.org", "a b", "http://x"])
def test_any_host_is_said_by_a_star_alone(name):
    with pytest.raises(ValueError, match=r"^host = "):
        options.read(["--host", name])
