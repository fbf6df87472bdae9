"""From the front page to an answer in one click, for each job that people bring."""

import re

import driver
import pytest
from shared import ROOT

HOME = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
JOBS = re.findall(r"^- \[([^\]]+)\]\(jobs\.md#", HOME, flags=re.M)


@pytest.mark.parametrize(
    "job", [pytest.param(job, marks=pytest.mark.nightly if i else ()) for i, job in enumerate(JOBS)]
)
def test_one_click_from_the_front_page_a_panel_answers(book_page, job):
    with book_page("book/index") as page:
        page.get_by_role("link", name=job, exact=True).click()
        page.wait_for_url("**/jobs.html#*")
        part = page.locator(":target")
        part.get_by_role("heading").first.wait_for()
        assert "In Python" in part.inner_text()
        panel = part.locator("section.mb-explorable")
        driver.lift_veils(page)
        before = driver.settle(panel)
        assert before["sentence"]
        control = next(c for c in driver.spec_of(panel)["controls"] if c["kind"] == "slider")
        line = panel.locator(".mb-command code").all_inner_texts()
        driver.move_and_compare(panel, control, 1, "keyboard", rtol=2e-7)
        # The line of the terminal goes with the panel.
        assert not line or panel.locator(".mb-command code").inner_text() != line[0]
