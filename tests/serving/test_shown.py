"""What a notebook shows in a kernel is what the server shows of it; options, one's own Voila, JupyterLab."""

import html
import json
import re
import sys
import tomllib

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from latex2mathml.converter import convert
from nbconvert.filters import markdown2html
from server import app_server, write_notebook
from shared import ROOT, ran, refused
from wire import CHAPTER, ask, specs_of

from explorable.panels.controls import File
from explorable.panels.reply import reply
from explorable.serve import apps, pages, worker
from explorable.serve.options import read
from mipbook.book import tile

APPS = sorted((ROOT / "book" / "apps").glob("*.ipynb"))


def words_of(text):
    """The letters that a reader meets, in formulas too; coloured code is in pieces."""
    text = re.sub(r"\$([^$]+)\$", lambda found: convert(html.unescape(found[1])), text)
    text = html.unescape(re.sub(r"<[^>]*>", "", text)).replace("\u00b6", "")
    return re.sub(r"\s", "", text)


def links_of(text):
    """Where the words lead; each way has its own address of a chapter."""
    found = re.findall(r'href="(?!#)([^"]+)"', text)
    return [re.sub(r"^.*?(\w+/[\w-]+)\.(?:md|html)$", r"\1", link) for link in found]


def in_a_kernel(path):
    """What the notebook's cells show, run by IPython: HTML of the words, and what code gives."""
    shell, shown = InteractiveShell(), []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            shown.append(markdown2html(cell.source))
            continue
        with capture_output() as said:
            ran = shell.run_cell(cell.source)
        ran.raise_error()
        # Nothing is printed, and the panel is all that is displayed.
        assert said.stderr == ""
        assert said.stdout.startswith("Out[") if ran.result is not None else said.stdout == ""
        assert len(said.stdout.splitlines()) < 3
        shown.extend([] if ran.result is None else [ran.result])
    return shown


@pytest.mark.parametrize("path", APPS, ids=lambda path: path.stem)
def test_a_notebook_shows_the_same_in_a_kernel_and_on_the_server(path):
    shown = in_a_kernel(path)
    page = pages.app_page(path.stem, worker.read_app(path), "files")
    body = page.partition("<main>")[2].partition("</main>")[0]
    told = "".join(part if isinstance(part, str) else "<section></section>" for part in shown)
    pieces = [re.split(r"<section\b.*?</section>", text, flags=re.DOTALL) for text in (body, told)]
    # The same words between the same panels, the same links, the same code to copy.
    assert [words_of(piece) for piece in pieces[0]] == [words_of(piece) for piece in pieces[1]]
    assert links_of(body) == links_of(told)
    assert body.count("<pre>") == len(re.findall(r"<pre\b", told))
    panels = [part for part in shown if not isinstance(part, str)]
    specs = specs_of(page)
    assert [*specs] == [panel.name for panel in panels]
    kept = worker.kept_panels(str(path.parent))
    for panel, spec in zip(panels, specs.values(), strict=True):
        same = json.loads(json.dumps(panel.describe(live=True)))
        assert {**same, "face": "http"} == {**spec, "face": "http"}
        # Files are taken, and typed numbers between the stops, as in a kernel.
        for control, asked in zip(panel.controls.values(), spec["controls"], strict=True):
            assert isinstance(control, File) == (asked["kind"] == "file")
        assert reply(kept[path.stem, panel.name], {}) == reply(panel, {})


CODE = "from mipbook import figures\nfrom explorable.panels import Explorable"


def test_a_notebook_that_cannot_be_served_is_refused_by_name_and_by_the_command_in_one_line(tmp_path):
    for cells, said in (
        (["1 + 1"], "a cell that shows a panel"),
        ([f"{CODE}\nfigures"], "a cell that shows a panel"),
        ([CODE, *["Explorable(figures.pmp.four_epsilons)"] * 2], "two are four-epsilons"),
    ):
        write_notebook(tmp_path / "mine.ipynb", *cells)
        refused(rf"mine\.ipynb.*{said}", worker.described, str(tmp_path))
    write_notebook(tmp_path / "mine.ipynb", "print(1)\n1 / 0")
    done = ran("-m", "mipbook", "serve", tmp_path, "--port", "1")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("mipbook serve: folder = ")
    assert "Traceback" not in done.stderr


def test_bad_options_are_refused_with_their_name_and_names_taken_in_small_letters():
    for option, value, message in (
        ("port", "0", "0: must be an integer in"),
        ("base-url", "mip", "'mip': must be a path between slashes"),
        *(("base-url", "/a b/", ""), ("base-url", "//evil.example/", "")),
        ("host", "http://x.example", "'http://x.example': must be a name"),
        *(("frame-ancestors", "'self'; script-src *", ""), ("workers", "0", "0: must be an integer in")),
        *(("memory", "10", ""), ("seconds", "-1", ""), ("seconds", "nan", ""), ("queue", "0", "")),
    ):
        refused(f"^{option} = {message}", read, [f"--{option}", value])
    local, named = {"localhost", "127.0.0.1", "[::1]"}, ["--host", "Apps.Example.org", "--host", "b.example"]
    assert read([]).hosts == local
    assert read(named).hosts == local | {"apps.example.org", "b.example"}
    assert read(["--ip", "0.0.0.0"]).hosts is None
    assert "b.example" in read(["--ip", "0.0.0.0", *named]).hosts


@pytest.fixture(scope="module")
def voila(tmp_path_factory, panels_folder):
    with app_server(panels_folder, tmp_path_factory.mktemp("voila") / "log", base="/a/mip") as server:
        yield server


@pytest.mark.nightly
def test_voila_leads_into_the_book_below_its_path(voila):
    assert '<a href="/a/mip/voila/render/dial.ipynb">A question?</a>' in ask(voila, "/").text
    page = ask(voila, "/voila/render/dial.ipynb").text
    for part in ("<title>A question?</title>", '<a href="/a/mip/">All apps</a>', f'href="../..{CHAPTER}"'):
        assert part in page
    assert ask(voila, CHAPTER).status == 200
    (plotly,) = re.findall(r'mipbookPlotly = "/a/mip(/[^"]+)"', page)
    assert ask(voila, plotly).status == 200


def test_voila_is_for_this_computer_alone_which_is_said_in_one_line(voila):
    for path in ("/", "/voila/render/dial.ipynb"):
        assert ask(voila, path, Host="evil.example").status == 403
    for host in ("0.0.0.0", "apps.example.org", "::"):
        told = r"^host = .*python -m mipbook serve is for others$"
        refused(told, apps.main, ["--no-browser", "--host", host])


def test_jupyterlab_starts_the_apps_where_it_says():
    """What jupyter-server-proxy reads: the command, with its own words filled in."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    entries = project["entry-points"]["jupyter_serverproxy_servers"]
    assert entries == {"mipbook": f"mipbook.book:{tile.__name__}"}
    told = tile()
    filled = [w.format(port=8123, base_url="/user/jovyan/") for w in told["command"]]
    assert filled[:4] == [sys.executable, "-m", "mipbook", "serve"]
    found = read(filled[4:])
    # It listens to this machine alone, and leaves the host's name to the server in front.
    wanted = (8123, "/user/jovyan/mipbook/", True, None)
    assert (found.port, found.base_url, found.is_local, found.hosts) == wanted
    assert told["absolute_url"]
    assert told["launcher_entry"]["path_info"] == "mipbook/"
