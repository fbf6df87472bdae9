"""Run the notebooks of the site for browsers: ``python tools/lite_notebooks.py [NAME...]``.

A browser that reaches no other host opens each in turn and runs all its cells.  What was seen is
written beside the site, and the book's page *In your own browser* tells it; an error, a panel
without a picture or a request to another host makes the run red.
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import browser as finder
from playwright.sync_api import Browser, Error, sync_playwright
from rehearse import HTML, served, shut_in

from explorable.outputs import lite
from explorable.sphinx.notebooks import STUDENT

SECONDS = 600  # for one notebook
RUN = """async (seconds) => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const late = wait(1000 * seconds).then(() => ["it took too long"]);
  const ran = (async () => {
    while (!globalThis.jupyterapp?.shell?.currentWidget?.sessionContext) await wait(100);
    const app = globalThis.jupyterapp;
    const book = app.shell.currentWidget;
    await book.context.ready;
    await book.sessionContext.ready;
    await app.commands.execute("notebook:run-all-cells");
    const cells = book.content.model.sharedModel.toJSON().cells;
    return cells.flatMap((cell) => cell.outputs ?? [])
      .filter((output) => output.output_type === "error")
      .map((output) => `${output.ename.replace(/<class '(.*)'>/, "$1")}: ${output.evalue}`);
  })();
  return Promise.race([ran, late]);
}"""
PANELS = """async (seconds) => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const failed = [];
  for (const panel of document.querySelectorAll(".jp-Notebook .mb-explorable")) {
    panel.scrollIntoView();
    const end = Date.now() + 1000 * seconds;
    while (!panel.dataset.settled || panel.dataset.settled === "no") {
      if (Date.now() > end) break;
      await wait(100);
    }
    const error = panel.querySelector(".mb-error:not([hidden])");
    if (error) failed.push(`panel ${panel.id}: ${error.textContent}`);
    else if (!panel.querySelector(".mb-plot svg")) failed.push(`panel ${panel.id}: no picture`);
  }
  return failed;
}"""


def run(browser: Browser, site: str, name: str, seconds: float = SECONDS) -> list[str]:
    """Run a notebook from its first cell to its last; return what went wrong."""
    with shut_in(browser, site) as (page, asked):
        try:
            page.goto(f"{site}notebooks/index.html?path={name}.ipynb")
            found: list[str] = page.evaluate(RUN, seconds) or page.evaluate(PANELS, 60)
        except Error as error:
            found = [error.message.splitlines()[0]]
    return [*found, *(f"asked {url}" for url in sorted(asked))]


def look(html: Path, names: Sequence[str]) -> dict[str, list[str]]:
    """Run notebooks of the site beside a built book, write down what was seen, and return it."""
    with served(html, "/some/where/book/") as book, sync_playwright() as playwright:
        _, browser = finder.start(playwright)
        site = f"{book}{lite.SITE}/"
        errors = {}
        for name in names:
            start = time.monotonic()
            errors[name] = run(browser, site, name)
            told = "; ".join(errors[name]) or "no error"
            print(f"{name}: {time.monotonic() - start:.0f} s, {told}", flush=True)
        seen = {"browser": f"Chromium {browser.version}", "errors": errors}
        browser.close()
    path = html / lite.SITE / lite.SEEN
    path.write_text(json.dumps(seen, indent=1), encoding="utf-8")
    lite.tell(html)
    return errors


def main() -> None:
    """Run the named notebooks, or all but the students' copies; leave with 1 if one failed."""
    told = HTML / lite.SITE / lite.TOLD
    if not told.is_file():
        sys.exit("There is no site yet; first: python -m mipbook lite")
    known = json.loads(told.read_text(encoding="utf-8"))["notebooks"]
    unknown = set(sys.argv[1:]) - set(known)
    if unknown:
        sys.exit(f"No notebook {', '.join(sorted(unknown))}; there are: {', '.join(known)}")
    names = sys.argv[1:] or [name for name in known if not name.endswith(STUDENT)]
    sys.exit(int(any(look(HTML, names).values())))


if __name__ == "__main__":
    main()
