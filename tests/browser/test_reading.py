"""A chapter as its reader meets it: the panel early, code folded away, a check one press off."""

from __future__ import annotations

import pytest
from pages import PAGES, WITH_PANELS
from shared import ROOT

from explorable.outputs.new_chapter import all_chapters

RECORDS = {c.page.with_suffix("").as_posix() for c in all_chapters(ROOT) if c.is_record}
NOTIONS = {c.notion for c in all_chapters(ROOT)}
ALL = [page for page in PAGES if page.split("/")[1] in NOTIONS]
CHAPTERS = [page for page in ALL if page in WITH_PANELS and page not in RECORDS]
# On the screen of a laptop, for which the visited pages are laid out.
LATEST, MOST_CODE = 1200, 0.02
FIRST = "document.querySelector('.mb-explorable').getBoundingClientRect().top + scrollY"
# What of the text's height is code that a reader sees.
CODE = """() => {
  const asked = { visibilityProperty: true, opacityProperty: true };
  const seen = (node) => node.checkVisibility(asked) ? node.getBoundingClientRect().height : 0;
  const code = [...document.querySelectorAll('article .highlight pre')]
    .filter((node) => !node.closest('.cell_output'));
  const height = document.querySelector('article').getBoundingClientRect().height;
  return code.reduce((sum, node) => sum + seen(node), 0) / height;
}"""


@pytest.mark.parametrize("visit", CHAPTERS, indirect=True)
def test_a_chapter_begins_with_its_first_panel(visit):
    assert visit.evaluate(FIRST) <= LATEST
    planted = "document.querySelector('article h1').style.marginBottom"
    visit.evaluate(f"{planted} = '{LATEST}px'")
    late = visit.evaluate(FIRST)
    visit.evaluate(f"{planted} = ''")
    assert late > LATEST, "the measure does not see what stands above the panel"


@pytest.mark.parametrize("visit", ALL, indirect=True)
def test_code_and_checks_are_folded_and_open_by_key_and_by_link(visit):
    assert visit.evaluate(CODE) <= MOST_CODE
    folds = visit.locator("details.mb-fold")
    if not folds.count():
        return  # a page for the record may just show something
    assert not visit.locator("details.mb-fold[open]").count()
    visit.evaluate("document.querySelectorAll('.mb-fold').forEach((d) => { d.open = true; })")
    shown = visit.evaluate(CODE)
    visit.evaluate("document.querySelectorAll('.mb-fold').forEach((d) => { d.open = false; })")
    assert shown > visit.evaluate(CODE), "the measure does not see code"
    first = folds.first
    line = first.locator("summary")
    assert line.bounding_box()["height"] == 28
    for opened in (True, False):
        line.press("Enter")
        assert first.evaluate("(d) => d.open") is opened
    for check in visit.locator("details.mb-check[id]").all()[:1]:
        name = check.get_attribute("id")
        visit.evaluate("(name) => { location.hash = name; }", name)
        visit.wait_for_function("(name) => document.getElementById(name).open", arg=name)
        check.evaluate("(d) => { d.open = false; history.replaceState({}, '', ' '); }")
