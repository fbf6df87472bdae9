"""The look of the pages: their faces, the colours of the ideas in words, what is in each head."""

import re

from docutils import nodes
from fontTools.ttLib import TTFont
from samples import text_of

from explorable import palette, settings
from explorable.outputs import files
from explorable.panels.static import SANS, SERIF, asset
from explorable.sphinx import heads
from explorable.sphinx import identity as brand
from explorable.sphinx import map as ideas
from mipbook.figures import looks

FACE = re.compile(r"@font-face \{ (.*?) \}")
FONTS = {path.name: path for path in files.FONTS.glob("*.woff2")}


def test_each_face_is_a_file_of_ours_and_each_file_is_used():
    faces = [face for face in FACE.findall(asset("fonts.css")) if "local(" not in face]
    addresses = [re.search(r'url\("([^"]+)"\)', face)[1] for face in faces]
    assert sorted(addresses) == sorted(f"vendor/fonts/{name}" for name in FONTS)
    named = set(re.findall(r'font-family: "([^"]+)"', asset("fonts.css")))
    assert named == {"Font Awesome 6 Free", *re.findall(r'"((?:Source|Like)[^"]*)"', SANS + SERIF)}


def test_the_words_have_the_colours_of_the_pictures():
    light, dark = re.findall(r"\{([^{}]*--idea-in:[^{}]*)\}", ideas.style())[:2]
    assert {"in", "out", "dp", "mip", "pmp", "mis"} == set(settings.book().ideas)
    for name, colour in settings.book().ideas.items():
        assert getattr(looks, name.upper()).colour == colour
        assert f"--idea-{name}: {colour};" in light
        assert f"--idea-{name}: {palette.DARK_TWIN[colour]};" in dark
        assert f".mb-{name} {{ color: var(--idea-{name}); }}" in ideas.style()


def marked(node: nodes.Node) -> list[tuple[str, str]]:
    return [(n.astext(), n["classes"][1]) for n in node.findall(nodes.Element) if "mb-idea" in n["classes"]]


def test_words_of_ideas_are_marked_in_the_heads_of_boxes_and_nowhere_they_mislead():
    title = nodes.title("", "A DP promise")
    head = nodes.container("", classes=["mb-head"])
    head += nodes.inline("", "From DP to η-MIP and MIPRelease, not RIP ")
    head += [nodes.literal("", "DP"), nodes.inline("", "MIP paper", classes=["mb-source"])]
    prose = nodes.paragraph("", "DP and ")
    prose += [nodes.emphasis("", "in"), nodes.emphasis("", "within"), nodes.emphasis("", "out")]
    page = nodes.section("", title, head, prose)
    before = page.astext()
    ideas.mark(None, page)
    expected = [("DP", "mb-dp"), ("MIP", "mb-mip"), ("in", "mb-in"), ("out", "mb-out")]
    assert marked(page) == expected
    assert page.astext() == before


def test_a_page_says_what_it_is_about():
    goal = nodes.paragraph("", "Goal Tell members from others.", classes=["mb-head-goal"])
    words = nodes.paragraph("", "First " + "words " * 40)
    section = nodes.section("", words, nodes.container("", goal))
    assert brand.description(section) == "Tell members from others."
    section = nodes.section("", words)
    said = brand.description(section)
    assert said.startswith("First words")
    assert len(said) <= brand.LONGEST
    with_formula = nodes.section("", nodes.paragraph("", "", nodes.math("", "x")))
    assert brand.description(with_formula) == brand.description(None) == settings.book().about


def test_what_goes_into_a_head_is_escaped():
    lines = brand.tags('<b> "T"', "a & b", "_static", "_static")
    assert '<b> "T"' not in lines
    assert "&lt;b&gt; &quot;T&quot;" in lines
    assert "a &amp; b" in lines


def test_a_person_whose_name_is_stressed_has_a_dot_and_nobody_else():
    page = nodes.section("", nodes.paragraph("", "", nodes.emphasis("", "Zoe"), nodes.emphasis("", "Zoes")))
    ideas.mark(None, page)
    assert [n.astext() for n in page.findall(nodes.emphasis) if n["classes"]] == ["Zoe"]
    assert '.mb-zoe::before { content: "Z" / ""; background: var(--face-zoe); }' in ideas.style()


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


def few(folder):
    """Make a book of two pages, and join what they load."""
    static = folder / "_static"
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
    pages = {folder / "index.html": "", folder / "book" / "mip" / "noise.html": "../../"}
    for path, up in pages.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD.format(up=up), encoding="utf-8")
    heads.join(folder)
    return static, list(pages)


def test_a_page_loads_one_style_sheet_and_one_script_of_the_theme(tmp_path):
    static, pages = few(tmp_path)
    style, script = (text_of(static / name) for name in (heads.STYLE, heads.SCRIPT))
    rules = f'd{{e:url("f.png")}}a{{b:url("c.png")}}{"".join(KEPT)}g{{h:url(data:i)}}'
    assert style.partition("\n")[2] == rules
    assert script.partition("\n")[2] == ";j();\n;k(`k-${1}`)\n"
    told = re.findall(r'(?:href|src)="([^"]*)"', text_of(pages[1]))
    assert [re.sub("=.*", "", one) for one in told] == [
        f"../../_static/{name}?v" for name in (heads.STYLE, "explorable.js", heads.SCRIPT)
    ]
    assert "<script>const DOCUMENTATION_OPTIONS = {};</script>" in text_of(pages[1])


def test_the_theme_asks_nothing_of_what_is_not_laid_out(built_book):
    script = text_of(built_book / "_static" / heads.SCRIPT)
    assert script.count("new ResizeObserver((parts)") == script.count("tabStops.observe(e)") == 1


def test_what_was_joined_is_joined_anew(tmp_path):
    static, pages = few(tmp_path)
    before = pages[0].read_bytes()
    heads.join(tmp_path)
    assert pages[0].read_bytes() == before
    (static / "own.css").write_text("l{}", encoding="utf-8")
    heads.join(tmp_path)
    assert (static / heads.STYLE).read_bytes().endswith(b"l{}")
    assert pages[0].read_bytes() != before


def test_every_icon_of_a_page_is_in_the_small_font(built_book):
    found = set(TTFont(files.FONTS / "icons.woff2").getBestCmap())
    theme = text_of(built_book / "_static" / "styles" / "pydata-sphinx-theme.css")
    pages = "".join(text_of(path) for path in (built_book / "book").rglob("*.html"))
    shown = set(re.findall(r"\bfa-[\w-]+(?=[ \"])", pages)) - {"fa-solid", "fa-lg"}
    assert len(shown) > 10
    for name in shown:
        letter = re.search(rf'[.]{name}:before[^{{}}]*{{content:"(.*?)"', theme)[1]
        assert int(letter.removeprefix("\\"), 16) in found, name
