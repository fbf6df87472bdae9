"""The reference of the package: complete docstrings, pages for all rooms, links both ways."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import chain
from typing import Literal

from shared import ROOT

import mipbook
from explorable.sphinx import reference
from explorable.sphinx.reference import completed
from mipbook import pmp
from mipbook.book import GLOSSARY


def example(values, n, *, sigma: float = 1.0, bound="sharp", **more) -> float:
    """Do nothing."""


def test_a_docstring_is_completed_in_the_order_of_the_signature_and_nothing_is_said_twice():
    text = ["Do it.", "", "Parameters", "----------", "n : int", "    Records.", "", "Notes", "-----"]
    done = completed([*text, "Ours."], example, GLOSSARY)
    heads = [line for line in done if " : " in line]
    assert heads == [f"values : {GLOSSARY['values'][0]}", "n : int", "sigma : float"]
    assert f"    {GLOSSARY['sigma'][1]}" in done
    assert done.index("    Records.") == done.index("n : int") + 1
    assert {"bound", "**more"} <= set(done)
    assert done[done.index("Returns") :][:3] == ["Returns", "-------", "float"]
    assert done[done.index("Notes") :][:3] == ["Notes", "-----", "Ours."]
    text[4:] = ["values, sigma : float", "    Other words.", "", "Returns", "-------", "int", "    Seven."]
    done = completed(text, example, GLOSSARY)
    assert GLOSSARY["sigma"][1] not in "".join(done)
    assert done.count("Returns") == done.count("Parameters") == 1
    assert "float" not in done


def test_types_lead_to_our_classes_and_fields_of_a_record_without_a_place_stand_with_its_function():
    def take(curve: Roc | None, how: Literal["a"]) -> Roc:  # noqa: F821
        """Take."""

    done = completed(["Take."], take, {}, lambda name: "<Roc>" if name == "Roc" else name)
    assert {"curve : <Roc> or None", "how : ``Literal['a']``", "<Roc>"} <= set(done)
    done = "\n".join(completed(["Count."], pmp.modular_sum, {}))
    assert "Attributes\n----------\ninside, outside" in done
    assert "Attributes" not in "\n".join(completed(["Count."], pmp.modular_sum, {}, lambda name: f"<{name}>"))


def test_every_room_has_a_page_and_every_name_a_place_on_it():
    text = "\n".join(path.read_text() for path in (ROOT / "book" / "reference" / "api").glob("*.rst"))
    told = re.findall(r"^\.\. room:: (\S+)(.*)$", text, re.M)
    assert {room for room, _ in told} == set(reference.rooms()), "book/reference/api needs a page a room"
    public = {room.split(".")[1] for room in reference.rooms()}
    missing = {name for name in mipbook.__all__ if name.islower()} - public - {"explore", "ledger"}
    assert not missing, f"add {missing} to the rooms in mipbook/book.py"
    for room in reference.rooms():
        groups = {group.module: group.names for group in reference.groups(room)}
        assert sorted(chain(*groups.values())) == sorted(import_module(room).__all__)
        pages = [parts.split() or list(groups) for one, parts in told if one == room]
        assert sorted(chain(*pages)) == sorted(groups), f"a page for each module of {room}"


CELLS = [
    "%matplotlib inline\nfrom mipbook import figures, mis\nfrom explorable.panels import Choice as C",
    "mis.weights(0.5)\nprint(figures.mis.dp_security, mis.no_such, C([1]))",
    "not python (",
]
CALLED, NAMED = '<span class="p">(</span>', '<span class="p">,</span>'


def test_calls_are_read_off_the_code_and_only_public_names_are_linked():
    bound, names = reference.called(CELLS)
    assert bound["C"] == "explorable.panels.Choice"
    assert names == {"mipbook.mis.weights", "mipbook.figures.mis.dp_security", "explorable.panels.Choice"}
    for chained, after, target in (
        ("mis.weights", CALLED, "mipbook.mis.weights"),
        ("mis.weights", NAMED, "mipbook.mis.weights"),
        ("figures.mis.dp_security", NAMED, "mipbook.figures.mis.dp_security"),
        ("C", CALLED, "explorable.panels.Choice"),
        ("C", NAMED, ""),
        ("mis.no_such", CALLED, ""),
        ("other.mis.weights", CALLED, ""),
        ("weights", CALLED, ""),
        # What follows a public name is not part of its link.
        ("mis.weights", '<span class="o">.</span><span class="n">__doc__</span>', "mipbook.mis.weights"),
    ):
        spans = '<span class="o">.</span>'.join(f'<span class="n">{x}</span>' for x in chained.split("."))
        html = f"<pre>{spans}{after}</pre>"
        want = f'<a class="mb-code" href="#{target}">{spans}</a>' if target else spans
        got = reference.linked(html, bound, lambda name: f"#{name}")
        assert got == html.replace(spans, want), (chained, after)


def test_a_name_in_a_sentence_is_linked_once():
    for text, before, target in (
        ("mis.weights", "", "mipbook.mis.weights"),
        ("mipbook.mis.weights", "<a href='x'>y</a> ", "mipbook.mis.weights"),
        ("mis.weights", "<a href='x'>", ""),
        ("mis.weights.more", "", ""),
        ("weights", "", ""),
        ("game.roc", "", ""),
    ):
        code = f'<code class="docutils literal notranslate"><span class="pre">{text}</span></code>'
        got = reference.linked(before + code, {"mis": "mipbook.mis"}, lambda name: f"#{name}")
        assert got == before + (f'<a class="mb-code" href="#{target}">{code}</a>' if target else code)
