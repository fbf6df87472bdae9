"""What a notebook of the book shows in a kernel is what the server shows of it; and stock Voila."""

import html
import json
import re

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from latex2mathml.converter import convert
from nbconvert.filters import markdown2html
from server import app_server
from shared import ROOT
from wire import ask, specs_of

from explorable.panels import Explorable
from explorable.panels.controls import File
from explorable.panels.reply import reply
from explorable.serve import apps, pages, worker

APPS = sorted((ROOT / "book" / "apps").glob("*.ipynb"))


def words_of(text: str) -> str:
    """The letters that a reader meets, in formulas too; coloured code is in pieces."""
    text = re.sub(r"\$([^$]+)\$", lambda found: convert(html.unescape(found[1])), text)
    text = html.unescape(re.sub(r"<[^>]*>", "", text)).replace("\u00b6", "")
    return re.sub(r"\s", "", text)


def links_of(text: str) -> list[str]:
    """Where the words lead; each way has its own address of a chapter."""
    found = re.findall(r'href="(?!#)([^"]+)"', text)
    return [re.sub(r"^.*?(\w+/[\w-]+)\.(?:md|html)$", r"\1", link) for link in found]


def in_a_kernel(path) -> list[str | Explorable]:
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
    specs = specs_of(page.encode() + b'<script src="../static/files/explorable.js">').panels
    assert [*specs] == [panel.name for panel in panels]
    kept = worker.kept_panels(str(path.parent))
    for panel, spec in zip(panels, specs.values(), strict=True):
        same = json.loads(json.dumps(panel.describe(live=True)))
        assert {**same, "face": "http"} == {**spec, "face": "http"}
        # Files are taken, and typed numbers between the stops, as in a kernel.
        for control, asked in zip(panel.controls.values(), spec["controls"], strict=True):
            assert isinstance(control, File) == (asked["kind"] == "file")
        assert reply(kept[path.stem, panel.name], {}) == reply(panel, {})


# ------------------------------------------------------------------ on one's own computer


@pytest.fixture(scope="module")
def voila(tmp_path_factory, panels_folder):
    with app_server(panels_folder, tmp_path_factory.mktemp("voila") / "log", base="/a/mip") as server:
        yield server


@pytest.mark.nightly
def test_voila_leads_into_the_book_below_its_path(voila):
    listed = ask(voila, "/").text
    assert '<a href="/a/mip/voila/render/dial.ipynb">A question?</a>' in listed
    page = ask(voila, "/voila/render/dial.ipynb").text
    assert "<title>A question?</title>" in page
    assert '<a href="/a/mip/">All apps</a>' in page
    assert 'href="../../book/book/game/chapter.html"' in page
    assert ask(voila, "/book/book/game/chapter.html").status == 200
    (plotly,) = re.findall(r'mipbookPlotly = "/a/mip(/[^"]+)"', page)
    assert ask(voila, plotly).status == 200


def test_voila_refuses_a_name_that_is_not_this_computers(voila):
    assert ask(voila, "/", Host="evil.example").status == 403
    assert ask(voila, "/voila/render/dial.ipynb", Host="evil.example").status == 403


@pytest.mark.parametrize("host", ["0.0.0.0", "apps.example.org", "::"])
def test_voila_is_not_for_others_which_is_said_in_one_line(host):
    with pytest.raises(ValueError, match=r"^host = .*python -m mipbook serve is for others$"):
        apps.main(["--no-browser", "--host", host])
