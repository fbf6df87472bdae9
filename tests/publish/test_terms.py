"""Words of the glossary: what they match, where a page links them, what a card says."""

import pytest
from docutils import nodes
from docutils.utils import new_document
from shared import ROOT, refused

from explorable.sphinx import glossary as cards
from explorable.sphinx import glossary as terms
from explorable.sphinx.formulas import formula
from explorable.sphinx.statements import Statement

TEXT = (ROOT / terms.PAGE).read_text(encoding="utf-8")
ENTRIES = terms.entries(TEXT)
FIND, KEYS = terms.pattern(ENTRIES)


def found(text: str) -> list[str]:
    return [ENTRIES[KEYS[terms._plain(match[0])]].name for match in FIND.finditer(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Two Shadow Models and a shadow\nmodel", ["shadow model", "shadow model"]),
        ("distributional differential privacy", ["distributional differential privacy"]),
        ("(ε, δ)-DP", ["differential privacy (DP)"]),
        ("DP-FTRL, ADP, non-DP, dp", []),
        ("random halves", ["random half"]),
        ("Clopper-Pearson", ["Clopper–Pearson interval"]),
        ("the TPR", ["true positive rate (TPR)"]),
        ("Bayes' rule", ["Bayes' rule"]),
        ("the poolside is overfittingly tighten", []),
    ],
)
def test_whole_words_in_number_and_case_longest_first(text, names):
    assert found(text) == names


def test_the_glossary_is_in_order_and_each_form_means_one_thing():
    names = [entry.name.casefold() for entry in ENTRIES.values()]
    assert names == sorted(names, key=lambda name: name.replace("-", " ").replace("é", "e"))
    forms = [form for entry in ENTRIES.values() for form in entry.forms]
    assert len(forms) == len(set(forms))
    assert len(ENTRIES) > 80
    for entry in ENTRIES.values():
        assert entry.meaning.rstrip().endswith((".", "`.")), entry.name


def page(*children: nodes.Node) -> nodes.document:
    document = new_document("page")
    document += children
    return document


def linked(document: nodes.document) -> list[tuple[str, str]]:
    terms.link_terms(document, "glossary.html", str(ROOT))
    found = document.findall(nodes.reference)
    return [(node["refuri"], node.astext()) for node in found]


def test_a_page_links_the_first_use_in_its_text():
    document = page(
        nodes.title("", "A coupling"),
        nodes.paragraph("", "", nodes.literal("", "coupling"), nodes.Text(" Couplings, coupling.")),
        nodes.raw("", "<p>jackknife</p>"),
        nodes.paragraph("", "A jackknife. The coupling."),
    )
    assert linked(document) == [
        ("glossary.html#term-coupling", "Couplings"),
        ("glossary.html#term-jackknife", "jackknife"),
    ]
    assert document.astext().count("coupling") == 4


def test_a_word_may_go_on_in_the_next_line():
    # Markdown makes three texts of two lines.
    texts = [nodes.Text(part) for part in ("the total", "\n", "variation distance")]
    found = linked(page(nodes.paragraph("", "", *texts)))
    assert found == [("glossary.html#term-total-variation-distance-TV", "total\nvariation distance")]


def test_a_word_that_the_page_explains_itself_is_left_alone():
    own = nodes.emphasis("", "jackknife", classes=["dfn"])
    assert linked(page(nodes.paragraph("", "", own, nodes.Text(" jackknife")))) == []


def test_a_card_says_the_meaning_without_the_way_on():
    told = {anchor: terms.card_html(entry.meaning) for anchor, entry in ENTRIES.items()}
    assert not [text for text in told.values() if "{doc}" in text or "$" in text or " *" in text]
    assert "Explained in" not in "".join(told.values())
    assert ">P/Q</annotation>" in told["term-f-divergence"]


def test_the_statement_of_another_page_stands_on_its_own():
    def link(target: str, **told: object) -> terms.addnodes.pending_xref:
        words = nodes.literal("", target)
        return terms.addnodes.pending_xref("", words, reftarget=target, **told)

    block = nodes.math_block("", "a = b", label="eq", number=3, ids=["eq"])
    said = nodes.paragraph("", "", link("mip-thm-4", refexplicit=False, refdomain="prf"))
    said += [nodes.Text(", "), link("Dwork06", refdomain="cite", ids=["id1"]), link("x", refexplicit=True)]
    box = Statement(ids=["mip-def-1"], label="mip-def-1")
    box += [nodes.title("", "Definition 1."), block, said]
    copy = cards.bare(box)
    assert copy.astext().endswith("Theorem 4 of the MIP paper, x")
    assert not [n for n in copy.findall(nodes.Element) if n["ids"] or n.get("number")]
    assert box["ids"] == ["mip-def-1"]
    assert block["number"] == 3


# --- Formulas that are set while the book is built: what a reader gets, and what is none ----------


@pytest.mark.parametrize(
    ("latex", "display", "piece"),
    [
        (r"\eta \le 0.1", False, "<mi>η</mi><mo>≤</mo><mn>0.1</mn>"),
        (r"\frac12", True, 'display="block"'),
        ("a &= b \\\\\nc &= d".join((r"\begin{aligned}", r"\end{aligned}")), True, "<mtable"),
    ],
)
def test_a_formula_is_html_with_its_meaning_inside(latex, display, piece):
    told = formula(latex, display)
    assert piece in told
    assert latex.replace("&", "&amp;") in told  # its source, for who copies it


def test_what_is_no_formula_is_refused_and_the_next_is_set():
    refused(r"\\frac1: .*Unexpected end of input", formula, r"\frac1")
    assert "<mi>x</mi>" in formula("x")
