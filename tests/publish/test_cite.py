"""Every statement has a number of its own, and lines of BibTeX that say which version is meant."""

import re
from types import SimpleNamespace

from docutils import nodes
from shared import ROOT

from explorable.checks import boxes, results
from explorable.sphinx import statements

BOOK = statements.cited(str(ROOT))
STATED = boxes.in_book(ROOT / "book")


def app_at(address):
    builder = SimpleNamespace(
        get_target_uri=lambda page: f"{page}.html", get_relative_uri=lambda page, other: f"../../{other}.html"
    )
    env, config = SimpleNamespace(found_docs={statements.HOW}), SimpleNamespace(html_baseurl=address)
    return SimpleNamespace(confdir=ROOT, builder=builder, env=env, config=config)


def linked(label, address="", text=""):
    parts = nodes.title(), nodes.compound("", nodes.paragraph("", text))
    box = statements.Statement("", *parts, label=label, ids=[label])
    statements.add_links(app_at(address), nodes.section("", box), "book/mip/noise")
    return box.children[0].astext()


def test_each_statement_is_a_numbered_result():
    assert set(STATED) <= {row.id for row in results()}
    own = [(row.kind, row.number) for row in results() if row.source == "together"]
    assert len(set(own)) == len(own)
    assert all(re.search(r"\d", number) for _, number in own)


def test_a_link_holds_the_lines_and_leads_to_how_to_cite_and_each_page_ends_with_the_version():
    found = linked("mip-thm-9")
    assert 'href="#mip-thm-9"' in found
    assert 'href="../../book/reference/cite.html" data-bibtex="@misc{mipbook:mip-thm-9,' in found
    assert f"version = {{{BOOK['version']}}}" in found
    assert r"Theorem 9 of the MIP paper: " in found
    assert r"book/mip/noise.html\#mip-thm-9" in found
    assert "reconstructed" not in found
    known = linked("mip-thm-9", "https://example.org/book/", "*Reconstructed: forced.*")
    assert "url     = {https://example.org/book/book/mip/noise.html#mip-thm-9}" in known
    assert "(formula reconstructed)" in known
    context = {"pathto": lambda page: f"../{page}.html"}
    statements.add_version(app_at(""), "book/mip/noise", "", context, None)
    assert f"{BOOK['version']}, {BOOK['date']}" in context["theme_extra_footer"]
    assert "How to cite" in context["theme_extra_footer"]


def test_a_box_says_that_it_is_reconstructed():
    told = {label for label, text in STATED.items() if statements.is_reconstructed(nodes.paragraph("", text))}
    assert {label for label in STATED if label.startswith("limits-")} <= told
    assert {"mip-cor-10", "lecture-sampling"} <= told
    assert not [label for label in told if label.startswith("together-")]
