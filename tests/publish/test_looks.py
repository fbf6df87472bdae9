"""The look of pages: faces, colours, first pictures of panels, what each head says, pictures for links."""

import gzip
import io
import json
import re
from unittest.mock import Mock

import plotly.graph_objects as go
import pytest
from docutils import nodes
from fontTools.ttLib import TTFont
from PIL import Image
from samples import text_of
from shared import ROOT, refused
from sphinx.application import Sphinx

from explorable import palette, settings
from explorable.outputs import files
from explorable.panels import Explorable, Slider, first
from explorable.panels.static import SANS, SERIF, asset
from explorable.settings import variable
from explorable.sphinx import extension, identity
from explorable.sphinx import map as ideas
from explorable.sphinx.extension import SCRIPT, STYLE
from mipbook.book import IDEAS
from mipbook.figures import marks


def test_each_face_is_a_file_of_ours_and_each_file_is_used():
    rules = re.findall(r"@font-face \{ (.*?) \}", asset("fonts.css"))
    faces = [face for face in rules if "local(" not in face]
    addresses = [re.search(r'url\("([^"]+)"\)', face)[1] for face in faces]
    assert sorted(addresses) == sorted(f"vendor/fonts/{path.name}" for path in files.FONTS.glob("*.woff2"))
    named = set(re.findall(r'font-family: "([^"]+)"', asset("fonts.css")))
    assert named == {"Font Awesome 6 Free", *re.findall(r'"((?:Source|Like)[^"]*)"', SANS + SERIF)}


def test_the_words_have_the_colours_of_the_pictures():
    light, dark = re.findall(r"\{([^{}]*--idea-in:[^{}]*)\}", ideas.style())[:2]
    assert {"in", "out", "dp", "mip", "pmp", "mis"} == set(settings.book().ideas)
    for name, colour in settings.book().ideas.items():
        assert getattr(marks, name.upper()).colour == colour
        assert f"--idea-{name}: {colour};" in light
        assert f"--idea-{name}: {palette.DARK_TWIN[colour]};" in dark
        assert f".mb-{name} {{ color: var(--idea-{name}); }}" in ideas.style()


def test_words_of_ideas_are_marked_in_the_heads_of_boxes_and_nowhere_they_mislead():
    title = nodes.title("", "A DP promise")
    head = nodes.container("", classes=["mb-head"])
    head += nodes.inline("", "From DP to η-MIP and MIPRelease, not RIP ")
    head += [nodes.literal("", "DP"), nodes.inline("", "MIP paper", classes=["mb-source"])]
    prose = nodes.paragraph("", "DP and ")
    prose += [nodes.emphasis("", word) for word in ("in", "within", "out", "Zoe", "Zoes")]
    page = nodes.section("", title, head, prose)
    before = page.astext()
    ideas.mark(None, page)
    found = [(n.astext(), n["classes"][1]) for n in page.findall(nodes.Element) if "mb-idea" in n["classes"]]
    assert found == [("DP", "mb-dp"), ("MIP", "mb-mip"), ("in", "mb-in"), ("out", "mb-out")]
    assert page.astext() == before
    # A person whose name is stressed has a dot, and nobody else.
    assert [n.astext() for n in prose.findall(nodes.emphasis) if n["classes"]] == ["in", "out", "Zoe"]
    assert '.mb-zoe::before { content: "Z" / ""; background: var(--face-zoe); }' in ideas.style()


def test_a_page_says_what_it_is_about_and_what_goes_into_its_head_is_escaped():
    goal = nodes.paragraph("", "Goal Tell members from others.", classes=["mb-head-goal"])
    words = nodes.paragraph("", "First " + "words " * 40)
    section = nodes.section("", words, nodes.container("", goal))
    assert identity.description(section) == "Tell members from others."
    said = identity.description(nodes.section("", words))
    assert said.startswith("First words")
    assert len(said) <= identity.LONGEST
    with_formula = nodes.section("", nodes.paragraph("", "", nodes.math("", "x")))
    assert identity.description(with_formula) == identity.description(None) == settings.book().about
    lines = identity.tags('<b> "T"', "a & b", "_static", "_static", "", None)
    assert '<b> "T"' not in lines
    assert "&lt;b&gt; &quot;T&quot;" in lines
    assert "a &amp; b" in lines


# --- The pages of a built book load few files; the icons that they show are in the small font -----

HEAD = """<link href="{up}_static/styles/theme.css?digest=1" rel="stylesheet" />
<link rel="stylesheet" type="text/css" href="{up}_static/own.css?v=2" />
<link rel="preload" as="script" href="{up}_static/scripts/bootstrap.js?digest=1" />
<script src="{up}_static/documentation_options.js?v=3"></script>
<script src="{up}_static/doctools.js?v=4"></script>
<script defer="defer" src="{up}_static/explorable.js?v=5"></script>
<i class="fa-solid fa-bars"></i><script defer src="{up}_static/scripts/bootstrap.js?digest=1"></script>"""
# Of a theme: what a page or a script calls for, between what nobody does.
KEPT = ['.fa-bars:before{content:"b"}', "@media print{.k-1{x:y}}", ".k:not(.l){x:y}", '[a$=".pdf"]{x:y}']
GONE = ['.fa-fish:before{content:"f"}', "a .fa-bars.l,.k2>b{x:y}"]
THEIRS = "".join([KEPT[0].replace("{", ",.fa-navicon:before{"), GONE[0], *KEPT[1:], GONE[1]])


def test_a_page_loads_one_style_sheet_and_one_script_of_the_theme(tmp_path):
    static = tmp_path / "_static"
    for name, text in {
        "styles/theme.css": f'@import "../basic.css";a{{b:url(../c.png)}}{THEIRS}/*# sourceMappingURL=x */',
        "basic.css": "d{e:url(f.png)}",
        "own.css": "g{h:url(data:i)}",
        "documentation_options.js": "const DOCUMENTATION_OPTIONS = {};",
        "doctools.js": "j();",
        "scripts/bootstrap.js": "k(`k-${1}`)",
    }.items():
        (static / name).parent.mkdir(parents=True, exist_ok=True)
        (static / name).write_text(text, encoding="utf-8")
    front, inner = tmp_path / "index.html", tmp_path / "book" / "mip" / "noise.html"
    for path, up in ((front, ""), (inner, "../../")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD.format(up=up), encoding="utf-8")
    extension.join(tmp_path)
    style, script, page = (text_of(path) for path in (static / STYLE, static / SCRIPT, inner))
    rules = f'd{{e:url("f.png")}}a{{b:url("c.png")}}{"".join(KEPT)}g{{h:url(data:i)}}'
    assert style.partition("\n")[2] == rules
    assert script.partition("\n")[2] == ";j();\n;k(`k-${1}`)\n"
    told = re.findall(r'(?:href|src)="../../_static/([^"]*)\?v=', page)
    assert told == [STYLE, "explorable.js", SCRIPT]
    assert len(re.findall("(?:href|src)=", page)) == 3
    assert "<script>const DOCUMENTATION_OPTIONS = {};</script>" in page
    # What was joined is joined anew.
    before = front.read_bytes()
    extension.join(tmp_path)
    assert front.read_bytes() == before
    (static / "own.css").write_text("l{}", encoding="utf-8")
    extension.join(tmp_path)
    assert (static / STYLE).read_bytes().endswith(b"l{}")
    assert front.read_bytes() != before


def test_every_icon_is_in_the_small_font_and_the_theme_asks_nothing_of_what_is_not_laid_out(built_book):
    script = text_of(built_book / "_static" / SCRIPT)
    assert script.count("new ResizeObserver((parts)") == script.count("tabStops.observe(e)") == 1
    found = set(TTFont(files.FONTS / "icons.woff2").getBestCmap())
    theme = text_of(built_book / "_static" / "styles" / "pydata-sphinx-theme.css")
    pages = "".join(text_of(path) for path in (built_book / "book").rglob("*.html"))
    shown = set(re.findall(r"\bfa-[\w-]+(?=[ \"])", pages)) - {"fa-solid", "fa-lg"}
    assert len(shown) > 10
    for name in shown:
        letter = re.search(rf'[.]{name}:before[^{{}}]*{{content:"(.*?)"', theme)[1]
        assert int(letter.removeprefix("\\"), 16) in found, name


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
        names = re.findall(r'<(?:input|pattern|section class="mb-explorable"|select)[^>]* id="([^"]+)"', text)
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


CONFIG = """
html_theme = "sphinx_book_theme"
html_baseurl = "BASE"
from explorable.sphinx import extension, identity
def setup(app):
    for hook in extension.HOOKS:
        if hook.act.__module__ == identity.__name__:
            app.connect(hook.event, hook.act, priority=hook.priority)
"""


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A function that builds a book of two pages under an address, and reads a file of it."""

    def build(url, base=""):
        monkeypatch.setenv(variable(identity.REPOSITORY), url)
        source, out = tmp_path / "source", tmp_path / "out"
        (source / "part").mkdir(parents=True, exist_ok=True)
        (source / "conf.py").write_text(CONFIG.replace("BASE", base), encoding="utf-8")
        (source / "index.rst").write_text("Home\n====\n\n.. toctree::\n\n   part/page\n")
        (source / "part" / "page.rst").write_text("Page\n====\n\nAbout it.\n")
        Sphinx(source, source, out, tmp_path / "trees", "html", status=None).build()
        return lambda name: (out / name).read_text(encoding="utf-8") if (out / name).is_file() else ""

    return build


def test_one_variable_gives_every_address(book, tmp_path):
    read = book("https://github.com/Some-One/the-book.git/")
    base = "https://some-one.github.io/the-book/"
    places = re.findall("<loc>(.*?)</loc>", read("sitemap.xml"))
    assert places == [f"{base}index.html", f"{base}part/page.html"]
    assert f"Sitemap: {base}sitemap.xml" in read("robots.txt")
    head, _, body = read("part/page.html").partition("</head>")
    assert f'<link rel="canonical" href="{base}part/page.html"' in head
    assert f'property="og:url" content="{base}part/page.html"' in head
    picture = re.search(rf'property="og:image" content="{base}(_static/cards/\w+\.png)"', head)
    assert (tmp_path / "out" / picture[1]).read_bytes().startswith(b"\x89PNG")
    assert 'property="og:image:alt" content="The page&#x27;s title, Page, and what it is' in head
    assert f'property="og:image" content="{base}_static/share.png"' in read("index.html")
    assert 'href="https://github.com/Some-One/the-book"' in body


def test_a_domain_of_ones_own_wins_and_without_both_there_is_no_address_not_even_an_old_one(book):
    read = book("https://github.com/some-one/book", "https://mip.example.org")
    assert 'rel="canonical" href="https://mip.example.org/part/page.html"' in read("part/page.html")
    assert "https://mip.example.org/part/page.html" in read("sitemap.xml")
    read = book("")
    assert read("sitemap.xml") == read("robots.txt") == ""
    head = read("part/page.html").split("</head>")[0]
    assert "<title>" in head
    assert not re.search(r"canonical|og:url|mybinder|some-one|cards/", head)


def test_another_address_is_refused(monkeypatch):
    for url in ("github.com/a/b", "https://github.com/a", "http://x.org/a/b", "x"):
        monkeypatch.setenv(variable(identity.REPOSITORY), url)
        refused(f"{variable(identity.REPOSITORY)} = .*such as https://github", identity.repository)


# --- The pictures that go with links: one a page, in the book's faces, drawn anew when they change


def unknown(text, face):
    """The letters of a text that a face draws as a box."""
    return {
        letter
        for part, font in face.runs(text)
        for letter in part
        if not letter.isspace() and bytes(font.getmask(letter)) == bytes(font.getmask("\uffff"))
    }


def test_the_faces_have_every_letter_of_every_title_and_goal():
    pages = [*(ROOT / "book").rglob("*.md")]
    heads = [re.findall(r"^(?:#|:goal:) (.+)", path.read_text("utf-8"), flags=re.M)[:2] for path in pages]
    assert len(heads) > 50
    assert not [told for told in heads if "$" in "".join(told)], "a formula"
    for name, weight in (("source-sans-3", 700), ("source-serif-4", 400)):
        face = identity._Face(name, 40, weight)
        assert not [told for told in heads if unknown(" ".join(told), face)]
        assert unknown("A ε \u4e2d", face) == {"\u4e2d"}


def test_a_picture_has_its_size_and_its_parts_colour_and_nothing_outside_or_over_the_address():
    """The longest texts: what is empty in a picture of short ones stays empty."""
    for title in ("A", "Words " * 12, "Words " * 60, "W" * 90):
        drawn = identity.draw(title, "words " * (identity.LONGEST // 6), IDEAS["mip"], "example.org")
        image = Image.open(io.BytesIO(drawn)).convert("RGB")
        assert image.size == (1200, 630)
        assert "#{:02x}{:02x}{:02x}".format(*image.getpixel((5, 300))) == IDEAS["mip"]
        for strip in ((1140, 0, 1200, 630), (92, 553, 1200, 560), (92, 605, 1200, 630)):
            assert len(image.crop(strip).getcolors()) == 1, (title, strip)


def test_a_picture_is_drawn_once_and_again_when_a_word_changes(tmp_path, monkeypatch):
    draw = Mock(return_value=b"x")
    monkeypatch.setattr(identity, "draw", draw)
    first, again, other = (
        identity.picture(tmp_path, tmp_path / "kept", word) for word in ("b", "b", "other")
    )
    assert first == again != other
    assert (tmp_path / first).read_bytes() == b"x"
    assert draw.call_count == 2
