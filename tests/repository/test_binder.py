"""Binder: one list of pins that changes rarely, and the apps inside JupyterLab."""

import sys
import tomllib

import pytest
from shared import ROOT

from explorable.serve import options
from mipbook.book import tile

pytestmark = pytest.mark.nightly

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


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
