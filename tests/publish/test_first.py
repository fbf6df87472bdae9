"""The picture of a panel's first state stands in the page, with its words and controls; no browser."""

import gzip
import json
import re
from pathlib import Path

import plotly.graph_objects as go
import pytest
from samples import text_of

from explorable.panels import Explorable, Slider, first
from explorable.panels.static import asset

PANEL = re.compile(r'<section class="mb-explorable" id="([\w-]+)" data-face="static".*?</section>', re.DOTALL)
DRAWN = re.compile(r'<div[^>]*class="mb-body\b.*?(?=<script)', re.DOTALL)
# Compressed, with words, controls and both pictures; the largest draws two thousand people.
MOST = 18_500
# A whole page, compressed as a host does.
PAGE = 1_000_000


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("script") / "explorable.js"
    path.write_text(asset("explorable.js"), encoding="utf-8")
    return path


def faults(panel: str) -> list[str]:
    """Say what a panel of a page lacks before any script runs."""
    drawn = DRAWN.search(panel)
    if drawn is None:
        return ["no picture"]
    body = drawn[0]
    alt = re.search(r'<div[^>]*aria-label="([^"]+)"[^>]* role="img"[^>]* class="mb-plot', body)
    found = {
        "a wide picture": body.count('class="mb-first mb-wide"') == 1,
        "a narrow picture": body.count('class="mb-first mb-narrow"') == 1,
        "an alternative text": alt is not None and not alt[1].startswith("No picture"),
        "a title": '<p class="mb-title">' in body,
        "a small size": len(gzip.compress(body.encode())) < MOST,
        "the theme's colours": not re.search(r"(?:fill|stroke):(?:rgb|#0b62a4|#1c2530)", body),
    }
    return [what for what, good in found.items() if not good]


def pages(book: Path) -> list[str]:
    """Return the text of each page of the book that has a panel."""
    found = (text_of(path) for path in sorted((book / "book").rglob("*.html")))
    return [text for text in found if 'data-face="static"' in text]


def test_every_panel_of_the_book_is_there_before_its_script(built_book):
    panels = {m[1]: m[0] for text in pages(built_book) for m in PANEL.finditer(text)}
    assert len(panels) > 50
    assert not {name: lacks for name, panel in panels.items() if (lacks := faults(panel))}
    assert faults(re.sub(DRAWN, "", panels.popitem()[1])) == ["no picture"]


def test_no_two_things_of_a_page_share_a_name(built_book):
    for text in pages(built_book):
        names = re.findall(r'<(?:input|pattern|select)[^>]* id="([^"]+)"', text)
        assert len(names) == len(set(names)), text[:300]


def shown(height: float = 3.0) -> go.Figure:
    bar = go.Bar(x=["a", "b"], y=[1, height], marker={"pattern": {"shape": "/"}, "color": "#0b62a4"})
    cells = go.Heatmap(z=[[0, 1], [1, 0]], showscale=False, xaxis="x2", yaxis="y2")
    axes = {"xaxis": {"domain": [0, 0.4]}, "xaxis2": {"domain": [0.6, 1]}, "yaxis2": {"anchor": "x2"}}
    meta = {"alt": "Two bars beside four cells.", "sentence": "So high."}
    dots = go.Scatter(x=["a", "b"], y=[1, height], mode="markers", name="dots", cliponaxis=False)
    return go.Figure([bar, dots, cells], {**axes, "meta": meta})


def test_bars_hatches_cells_and_dots_keep_their_looks_at_any_width(script):
    panel = Explorable(shown, height=Slider(1, 15, step=1, value=3), name="shown-first", title="Shown").html()
    drawn = first.with_picture(panel, script)
    assert faults(drawn) == []
    assert drawn.count("<pattern ") == 2
    assert drawn.count('href="data:image/png;base64,') == 2
    assert drawn.count("<circle cx=") == 4
    assert 'aria-label="Two bars beside four cells."' in drawn
    assert ">So high.<" in drawn.replace('<span class="mb-rest">', "")
    again = first.with_picture(panel, script)
    assert again == drawn


def test_letters_are_as_wide_as_in_the_face():
    """The widths are written once; another version of the face has others."""
    from letter_widths import TARGET, widths

    assert json.loads(TARGET.read_text(encoding="utf-8"))["400"] == widths(400)


def test_no_page_of_the_book_is_above_a_megabyte(built_book):
    files = sorted((built_book / "book").rglob("*.html"))
    sizes = {str(path.relative_to(built_book)): len(gzip.compress(path.read_bytes(), 6)) for path in files}
    assert len(sizes) > 50
    assert not {page: size for page, size in sizes.items() if size > PAGE}
