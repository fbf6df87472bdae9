"""The look of the pages: their faces, the colours of the ideas in words, what is in each head."""

import re
import struct

import pytest
from docutils import nodes

from explorable import palette, settings
from explorable.outputs import files
from explorable.panels.assets import SANS, SERIF, asset
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


@pytest.mark.parametrize("name", FONTS)
def test_fonts_are_whole(name):
    data = FONTS[name].read_bytes()
    assert data[:4] == b"wOF2"
    assert struct.unpack(">I", data[8:12])[0] == len(data)
    assert "Open Font License" in (files.FONTS / "LICENSE").read_text(encoding="utf-8")


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


def test_words_of_ideas_are_marked_in_headings_and_nowhere_they_mislead():
    title = nodes.title("", "From DP to η-MIP and MIPRelease, not RIP ")
    title += [nodes.literal("", "DP"), nodes.inline("", "MIP paper", classes=["mb-source"])]
    prose = nodes.paragraph("", "DP and ")
    prose += [nodes.emphasis("", "in"), nodes.emphasis("", "within"), nodes.emphasis("", "out")]
    page = nodes.section("", title, prose)
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
