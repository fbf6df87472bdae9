"""Binder: one list of pins that changes rarely, and the apps inside JupyterLab."""

import sys
import tomllib
from itertools import chain

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
    """In which versions, `test_pins` looks at."""
    listed = pins("binder/requirements.txt")
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
    assert len(set(listed) & set(pins("constraints.txt"))) > 120


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
