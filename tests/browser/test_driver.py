"""A window that the browser draws no more is told from a page that fails."""

import driver
import pytest

# These are tests of what the tests use.
pytestmark = pytest.mark.nightly


def test_only_a_window_without_frames_excuses_a_failure(browser):
    def fail(doing: str) -> None:
        with driver.watched(browser) as page:
            page.evaluate(doing)
            raise ValueError("its own")

    with pytest.raises(ValueError, match="its own"):
        fail("1")
    with pytest.raises(driver.StoppedDrawing):
        fail("window.requestAnimationFrame = () => 0")


# --- Two words of each look are looked at: a faint one is found wherever it stands ----------------

PAGE = """<!doctype html><html lang="en"><head><title>page</title></head><body><main><h1>Words</h1>
<p>Many words.</p><p>Many more.</p>%s</main></body></html>"""
FAINT = "color: #aaa; background: #fff"
PLANTED = {
    "on the page": f'<p style="{FAINT}">faint</p>',
    "in code": f'<pre class="highlight"><span>+</span> <span style="{FAINT}">def</span> + x</pre>',
    "in a folded line": f'<details><summary>more</summary><p style="{FAINT}">faint</p></details>',
    "by its ground": '<div style="background: #333"><p>dark on dark</p></div>',
    "by a thin ground": '<div style="background: rgba(0, 0, 0, .8)"><p>dark on dark</p></div>',
    "by its size": '<p style="color: #808080; font-size: 30px">large</p><p style="color: #808080">small</p>',
}


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED)
def test_a_faint_word_is_found(browser, planted):
    page = browser.new_page()
    page.set_content(PAGE % planted)
    (found,) = driver.axe_violations(page, colours_only=True)
    assert found.startswith("color-contrast")
    assert page.locator("[data-look], details[open]").count() == 0
    page.close()


def test_a_readable_page_of_many_words_has_few_looks(browser):
    page = browser.new_page()
    page.set_content(PAGE % ("<p>again</p>" * 500))
    page.evaluate(driver.MARK_LOOKS)
    assert page.locator("[data-look]").count() == 3
    page.evaluate(driver.UNMARK)
    assert driver.axe_violations(page) == []
    page.close()
