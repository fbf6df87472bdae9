"""Words of a page: those of the glossary, those that move panels, formulas, and how a statement is cited."""

import re
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from shared import ROOT, refused

from explorable.checks import boxes, results
from explorable.sphinx import glossary, statements, words
from explorable.sphinx.statements import Statement
from explorable.sphinx.words import formula

ENTRIES = glossary.entries((ROOT / glossary.PAGE).read_text(encoding="utf-8"))


def test_whole_words_in_number_and_case_longest_first():
    find, keys = glossary.pattern(ENTRIES)
    for text, names in (
        ("Two Shadow Models and a shadow\nmodel", ["shadow model", "shadow model"]),
        ("distributional differential privacy", ["distributional differential privacy"]),
        ("(ε, δ)-DP", ["differential privacy (DP)"]),
        ("DP-FTRL, ADP, non-DP, dp", []),
        ("random halves", ["random half"]),
        ("Clopper-Pearson", ["Clopper–Pearson interval"]),
        ("the TPR", ["true positive rate (TPR)"]),
        ("Bayes' rule", ["Bayes' rule"]),
        ("the poolside is overfittingly tighten", []),
    ):
        assert [ENTRIES[keys[glossary._plain(match[0])]].name for match in find.finditer(text)] == names


def test_the_glossary_is_in_order_each_form_means_one_thing_and_a_card_says_it_without_the_way_on():
    names = [entry.name.casefold() for entry in ENTRIES.values()]
    assert names == sorted(names, key=lambda name: name.replace("-", " ").replace("é", "e"))
    forms = [form for entry in ENTRIES.values() for form in entry.forms]
    assert len(forms) == len(set(forms)) > 80
    assert all(entry.meaning.rstrip().endswith(".") for entry in ENTRIES.values())
    told = {anchor: glossary.card_html(entry.meaning) for anchor, entry in ENTRIES.items()}
    assert not [text for text in told.values() if "{doc}" in text or "$" in text or " *" in text]
    assert "Explained in" not in "".join(told.values())
    assert ">P/Q</annotation>" in told["term-f-divergence"]


def linked(*parts):
    document = new_document("page")
    document += parts
    glossary.link_terms(document, "glossary.html", str(ROOT))
    found = [(node["refuri"], node.astext()) for node in document.findall(nodes.reference)]
    return document.astext(), [(uri.removeprefix("glossary.html#term-"), text) for uri, text in found]


def test_a_page_links_the_first_use_in_its_text_of_what_it_does_not_explain_itself():
    text, found = linked(
        nodes.title("", "A coupling"),
        nodes.paragraph("", "", nodes.literal("", "coupling"), nodes.Text(" Couplings, coupling.")),
        nodes.raw("", "<p>jackknife</p>"),
        nodes.paragraph("", "A jackknife. The coupling."),
        # Markdown makes three texts of two lines.
        nodes.paragraph("", "", *map(nodes.Text, ("the total", "\n", "variation distance"))),
    )
    total = ("total-variation-distance-TV", "total\nvariation distance")
    assert found == [("coupling", "Couplings"), ("jackknife", "jackknife"), total]
    assert text.count("coupling") == 4
    own = nodes.emphasis("", "jackknife", classes=["dfn"])
    assert linked(nodes.paragraph("", "", own, nodes.Text(" jackknife")))[1] == []


def test_the_statement_of_another_page_stands_on_its_own():
    def link(target, **told):
        return glossary.addnodes.pending_xref("", nodes.literal("", target), reftarget=target, **told)

    block = nodes.math_block("", "a = b", label="eq", number=3, ids=["eq"])
    said = nodes.paragraph("", "", link("mip-thm-4", refexplicit=False, refdomain="prf"))
    said += [nodes.Text(", "), link("Dwork06", refdomain="cite", ids=["id1"]), link("x", refexplicit=True)]
    box = Statement(ids=["mip-def-1"], label="mip-def-1")
    box += [nodes.title("", "Definition 1."), block, said]
    copy = glossary.bare(box)
    assert copy.astext().endswith("Theorem 4 of the MIP paper, x")
    assert not [n for n in copy.findall(nodes.Element) if n["ids"] or n.get("number")]
    assert box["ids"] == ["mip-def-1"]
    assert block["number"] == 3


def test_a_formula_is_html_with_its_meaning_inside_and_what_is_none_is_refused():
    for latex, display, piece in (
        (r"\eta \le 0.1", False, "<mi>η</mi><mo>≤</mo><mn>0.1</mn>"),
        (r"\frac12", True, 'display="block"'),
        (r"\begin{aligned}a &= b \\ c &= d\end{aligned}", True, "<mtable"),
    ):
        told = formula(latex, display)
        assert piece in told
        assert latex.replace("&", "&amp;") in told  # its source, for who copies it
    refused(r"\\frac1: .*Unexpected end of input", formula, r"\frac1")


# --- Words that move panels: what they bind to, and what fails the build -----------------------------


def spec(name, **controls):
    told = [{"name": n, "stops": stops, "labels": [*map(str, stops)]} for n, stops in controls.items()]
    return {"id": name, "controls": told}


NOISE = spec("noise", sigma=[0.5, 3.0], n=[10, 20], kind=["one", "two"], on=[True, False])
OTHER = spec("other", n=[20, 30])


def bound(text, above, below=()):
    panel, wanted, told = words.parse(text)
    node = words.Words(told, told, panel=panel, wanted=wanted)
    words._bind(node, above, list(below))
    return node["panel"], node["values"]


def test_words_move_the_nearest_panel_that_has_the_controls_and_fail_with_what_there_is():
    assert bound("sigma=3; n=20 | go", [OTHER, NOISE]) == ("noise", {"sigma": 3.0, "n": 20})
    assert bound("n=20 | go", [NOISE, OTHER]) == ("other", {"n": 20})
    assert bound("sigma=0.5 | go", [OTHER], [NOISE]) == ("noise", {"sigma": 0.5})
    assert bound("noise: n=20 | go", [NOISE, OTHER]) == ("noise", {"n": 20})
    assert bound("kind=two; on=True | go", [NOISE]) == ("noise", {"kind": "two", "on": True})
    for text, says in (
        ("sigma=4 | go", "the stops are 0.5, 3.0"),
        ("on=1 | go", "the stops are True, False"),
        ("rho=3 | go", "the controls of noise are"),
        ("clouds: sigma=3 | go", "the panels of the page are noise"),
        *((wrong, "write it as") for wrong in ("sigma=3", "sigma | go", "sigma=3 | ")),
    ):
        with pytest.raises(words.Mistake, match=says):
            bound(text, [NOISE])
    with pytest.raises(words.Mistake, match="no panel"):
        bound("sigma=3 | go", [])
    # What a page's script reads of a panel.
    raw = nodes.raw("", '<section class="mb-asked"><script class="mb-spec">{"a": "<\\/b"}</script>')
    assert words.panel_specs(raw, "mb-asked") == [{"a": "</b"}]
    assert words.panel_specs(raw, "mb-explorable") == []


BOOK = statements.cited(str(ROOT))
STATED = boxes.in_book(ROOT / "book")


def app_at(address):
    builder = SimpleNamespace(
        get_target_uri=lambda page: f"{page}.html", get_relative_uri=lambda page, other: f"../../{other}.html"
    )
    env, config = SimpleNamespace(found_docs={statements.HOW}), SimpleNamespace(html_baseurl=address)
    return SimpleNamespace(confdir=ROOT, builder=builder, env=env, config=config)


def cited(label, address="", text=""):
    parts = nodes.title(), nodes.compound("", nodes.paragraph("", text))
    box = statements.Statement("", *parts, label=label, ids=[label])
    statements.add_links(app_at(address), nodes.section("", box), "book/mip/noise")
    return box.children[0].astext()


def test_each_statement_is_a_numbered_result_and_says_if_it_is_reconstructed():
    assert set(STATED) <= {row.id for row in results()}
    own = [(row.kind, row.number) for row in results() if row.source == "together"]
    assert len(set(own)) == len(own)
    assert all(re.search(r"\d", number) for _, number in own)
    told = {label for label, text in STATED.items() if statements.is_reconstructed(nodes.paragraph("", text))}
    assert {label for label in STATED if label.startswith("limits-")} <= told
    assert {"mip-cor-10", "lecture-sampling"} <= told
    assert not [label for label in told if label.startswith("together-")]


def test_a_link_holds_the_lines_and_leads_to_how_to_cite_and_each_page_ends_with_the_version():
    found = cited("mip-thm-9")
    assert 'href="#mip-thm-9"' in found
    assert 'href="../../book/reference/cite.html" data-bibtex="@misc{mipbook:mip-thm-9,' in found
    assert f"version = {{{BOOK['version']}}}" in found
    assert r"Theorem 9 of the MIP paper: " in found
    assert r"book/mip/noise.html\#mip-thm-9" in found
    assert "reconstructed" not in found
    known = cited("mip-thm-9", "https://example.org/book/", "*Reconstructed: forced.*")
    assert "url     = {https://example.org/book/book/mip/noise.html#mip-thm-9}" in known
    assert "(formula reconstructed)" in known
    context = {"pathto": lambda page: f"../{page}.html"}
    statements.add_version(app_at(""), "book/mip/noise", "", context, None)
    assert f"{BOOK['version']}, {BOOK['date']}" in context["theme_extra_footer"]
    assert "How to cite" in context["theme_extra_footer"]
