"""A worker and the notebooks that it reads, and the options of a server, without one."""

import re
import sys
import tomllib

import nbformat
import pytest
from dial import notebook
from shared import ROOT, ran

from explorable.serve import worker
from explorable.serve.options import read
from mipbook.book import tile


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
    done = ran("-m", "mipbook", "serve", tmp_path, "--port", "1")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("mipbook serve: folder = ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "0"], "port = 0: must be an integer in"),
        (["--base-url", "mip"], "base-url = 'mip': must be a path between slashes"),
        (["--base-url", "/a b/"], "base-url = "),
        (["--base-url", "//evil.example/"], "base-url = "),
        (["--host", "http://x.example"], "host = 'http://x.example': must be a name"),
        (["--frame-ancestors", "'self'; script-src *"], "frame-ancestors = "),
        (["--workers", "0"], "workers = 0: must be an integer in"),
        (["--memory", "10"], "memory = 10: must be"),
        (["--seconds", "-1"], "seconds = "),
        (["--seconds", "nan"], "seconds = "),
        (["--queue", "0"], "queue = "),
    ],
)
def test_bad_options_are_refused_with_their_name(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        read(arguments)


def test_names_are_taken_in_small_letters_and_local_ones_stay():
    options = read(["--host", "Apps.Example.org", "--host", "b.example"])
    assert options.hosts == {"localhost", "127.0.0.1", "[::1]", "apps.example.org", "b.example"}
    assert read([]).hosts == {"localhost", "127.0.0.1", "[::1]"}
    assert read(["--ip", "0.0.0.0"]).hosts is None
    assert "b.example" in read(["--ip", "0.0.0.0", "--host", "b.example"]).hosts


def test_jupyterlab_starts_the_apps_where_it_says():
    """What jupyter-server-proxy reads: the command, with its own words filled in."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    entries = project["entry-points"]["jupyter_serverproxy_servers"]
    assert entries == {"mipbook": f"mipbook.book:{tile.__name__}"}
    told = tile()
    filled = [w.format(port=8123, base_url="/user/jovyan/") for w in told["command"]]
    assert filled[:4] == [sys.executable, "-m", "mipbook", "serve"]
    found = read(filled[4:])
    assert (found.port, found.base_url) == (8123, "/user/jovyan/mipbook/")
    # It listens to this machine alone, and leaves the host's name to the server in front.
    assert found.is_local
    assert found.hosts is None
    assert told["absolute_url"]
    assert told["launcher_entry"]["path_info"] == "mipbook/"
