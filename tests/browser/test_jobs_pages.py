"""From the front page to an answer in two clicks, for each job that people bring."""

import re

import driver
import pytest
from shared import ROOT

HOME = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
JOBS = dict(re.findall(r"^- \[([^\]]+)\]\(jobs\.md#([^)]+)\)", HOME, flags=re.M))
PARTS = (ROOT / "book" / "jobs.md").read_text(encoding="utf-8").split("\n## ")[1:]
PARTS = [part for part in PARTS if not part.startswith("With a file")]
# The first link of a job, in the order of the front page: where it leads, a panel must answer.
SHOWN = re.compile(r"On these pages: \{show\}`([\w/-]+)#([\w-]+) \| ([^`]+)`")
FIRST = [SHOWN.findall(part)[0][2] for part in PARTS]


def test_the_front_page_names_every_job_of_the_page():
    titles = [part.split("\n")[0] for part in PARTS]
    assert list(JOBS.values()) == [title.lower().rstrip("?").replace(" ", "-") for title in titles]


@pytest.mark.parametrize(
    ("job", "link"),
    [
        pytest.param(*pair, marks=pytest.mark.nightly if i else ())
        for i, pair in enumerate(zip(JOBS, FIRST, strict=True))
    ],
)
def test_two_clicks_from_the_front_page_a_panel_answers(book_page, job, link):
    with book_page("book/index") as page:
        page.get_by_role("link", name=job, exact=True).click()
        page.wait_for_url("**/jobs.html#*")
        part = page.locator(":target")
        part.get_by_role("heading").wait_for()
        assert "In Python" in part.inner_text()
        part.get_by_role("link", name=link, exact=True).first.click()
        page.wait_for_url(lambda url: "jobs.html" not in url)
        # It opens at the panel, and nothing of it is missing.
        panel = page.locator(f"section#{page.url.partition('#')[2]}")
        panel.wait_for()
        assert panel.get_attribute("data-waits") is None
        before = driver.settle(panel)
        assert before["sentence"]
        control = next(c for c in driver.spec_of(panel)["controls"] if c["kind"] != "rounds")
        stop = 0 if before["values"][control["name"]] != control["stops"][0] else 1
        driver.move_and_compare(panel, control, stop, "keyboard", rtol=2e-7)
