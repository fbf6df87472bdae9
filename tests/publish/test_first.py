"""The picture of a panel's first state stands in the page, with its words and controls; no browser."""

import gzip
import json
import re

import plotly.graph_objects as go
from samples import text_of

from explorable.panels import Explorable, Slider, first
from explorable.panels.static import asset

PANEL = re.compile(r'<section class="mb-explorable" id="([\w-]+)" data-face="static".*?</section>', re.DOTALL)
DRAWN = re.compile(r'<div[^>]*class="mb-body\b.*?(?=<script)', re.DOTALL)
# Compressed, with words, controls and both pictures; the largest draws two thousand people.
MOST = 18_500


def faults(panel):
    """Say what a panel of a page lacks before any script runs."""
    if (drawn := DRAWN.search(panel)) is None:
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


def test_every_panel_is_there_before_its_script_no_two_things_share_a_name_and_no_page_is_large(built_book):
    pages = {path: text_of(path) for path in (built_book / "book").rglob("*.html")}
    panels = {m[1]: m[0] for text in pages.values() for m in PANEL.finditer(text)}
    assert len(panels) > 50
    assert not {name: lacks for name, panel in panels.items() if (lacks := faults(panel))}
    assert faults(re.sub(DRAWN, "", panels.popitem()[1])) == ["no picture"]
    for path, text in pages.items():
        # Compressed, as a host does.
        assert len(gzip.compress(path.read_bytes(), 6)) < 1_000_000, path
        names = re.findall(r'<(?:input|pattern|section|select)[^>]* id="([^"]+)"', text)
        assert len(names) == len(set(names)), path


def shown(height):
    bar = go.Bar(x=["a", "b"], y=[1, height], marker={"pattern": {"shape": "/"}, "color": "#0b62a4"})
    dots = go.Scatter(x=["a", "b"], y=[1, height], mode="markers", name="dots", cliponaxis=False)
    cells = go.Heatmap(z=[[0, 1], [1, 0]], showscale=False, xaxis="x2", yaxis="y2")
    axes = {"xaxis": {"domain": [0, 0.4]}, "xaxis2": {"domain": [0.6, 1]}, "yaxis2": {"anchor": "x2"}}
    meta = {"alt": "Two bars beside four cells.", "sentence": "So high."}
    return go.Figure([bar, dots, cells], {**axes, "meta": meta})


def test_bars_hatches_cells_and_dots_keep_their_looks_at_any_width(tmp_path):
    script = tmp_path / "explorable.js"
    script.write_text(asset("explorable.js"), encoding="utf-8")
    panel = Explorable(shown, height=Slider(1, 15, step=1, value=3), name="shown-first", title="Shown").html()
    drawn = first.with_picture(panel, script)
    assert faults(drawn) == []
    assert drawn.count("<pattern ") == 2
    assert drawn.count('href="data:image/png;base64,') == 2
    assert drawn.count("<circle cx=") == 4
    assert 'aria-label="Two bars beside four cells."' in drawn
    assert ">So high.<" in drawn.replace('<span class="mb-rest">', "")
    assert first.with_picture(panel, script) == drawn


def test_letters_are_as_wide_as_in_the_face():
    """The widths are written once; another version of the face has others."""
    from letter_widths import TARGET, widths

    assert json.loads(TARGET.read_text(encoding="utf-8"))["400"] == widths(400)
