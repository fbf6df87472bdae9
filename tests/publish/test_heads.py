"""The pages of a built book load few files; the icons that they show are in the small font."""

from __future__ import annotations

import re

from fontTools.ttLib import TTFont
from samples import text_of

from explorable.outputs import files
from explorable.sphinx import heads

HEAD = """<link href="{up}_static/styles/theme.css?digest=1" rel="stylesheet" />
<link rel="stylesheet" type="text/css" href="{up}_static/own.css?v=2" />
<link rel="preload" as="script" href="{up}_static/scripts/bootstrap.js?digest=1" />
<script src="{up}_static/documentation_options.js?v=3"></script>
<script src="{up}_static/doctools.js?v=4"></script>
<script defer="defer" src="{up}_static/explorable.js?v=5"></script>
<i class="fa-solid fa-bars"></i><script defer src="{up}_static/scripts/bootstrap.js?digest=1"></script>"""
ICONS = '.fa-bars:before,.fa-navicon:before{content:"b"}.fa-fish:before{content:"f"}'


def few(folder):
    """Make a book of two pages, and join what they load."""
    static = folder / "_static"
    for name, text in {
        "styles/theme.css": f'@import "../basic.css";a{{b:url(../c.png)}}{ICONS}/*# sourceMappingURL=x */',
        "basic.css": "d{e:url(f.png)}",
        "own.css": "g{h:url(data:i)}",
        "documentation_options.js": "const DOCUMENTATION_OPTIONS = {};",
        "doctools.js": "j();",
        "scripts/bootstrap.js": "k()",
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
    rules = (
        'd{e:url("f.png")}a{b:url("c.png")}.fa-bars:before,.fa-navicon:before{content:"b"}g{h:url(data:i)}'
    )
    assert style.partition("\n")[2] == rules
    assert script.partition("\n")[2] == ";j();\n;k()\n"
    told = re.findall(r'(?:href|src)="([^"]*)"', text_of(pages[1]))
    assert [re.sub("=.*", "", one) for one in told] == [
        f"../../_static/{name}?v" for name in (heads.STYLE, heads.SCRIPT, "explorable.js")
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
