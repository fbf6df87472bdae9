"""What a search finds first: chapters before what is told of code, and for a word the page that a book names.

A book's ``search.csv``, beside its pages, has a row a word, or several that stand together: what is to
come first, a page or a place of one, ``page#place``, though it may say it otherwise.  So words of the field
lead there.
"""

import csv
import json
from pathlib import Path
from typing import Any

from docutils import nodes

FILE = "search.csv"
# Sphinx's own numbers, and what a result is worth: a page that the book names, a chapter, the code.
_SCORER = Path(__file__).with_name("search.js")


def places(confdir: Path) -> list[tuple[str, str, str]]:
    """Return the words, the page that each is to find first, and the place on it."""
    found = sorted(confdir.glob(f"*/{FILE}"))
    return [
        (words, f"{path.parent.name}/{page.partition('#')[0]}", page.partition("#")[2])
        for path in found
        for words, page in csv.reader(path.read_text(encoding="utf-8").splitlines()[1:])
    ]


def rows(confdir: Path) -> list[tuple[str, str]]:
    """Return the words and the page that each is to find first."""
    return [(words, page) for words, page, _ in places(confdir)]


def write_scorer(app: Any, config: Any) -> None:
    """Hand Sphinx the script that orders what is found; a page that is not there fails the build."""
    named = places(Path(app.confdir))
    for words, page, _ in named:
        if not any((Path(app.confdir) / f"{page}{end}").is_file() for end in (".md", ".ipynb")):
            raise ValueError(f"{FILE}: {words}: page = {page!r}: must be a page of the book")
    path = Path(app.doctreedir) / "scorer.js"
    path.parent.mkdir(parents=True, exist_ok=True)
    told = _SCORER.read_text(encoding="utf-8").replace("NAMED_PLACES", json.dumps(named))
    path.write_text(told, encoding="utf-8")
    config.html_search_scorer = str(path)


def add_words(app: Any, doctree: nodes.document) -> None:
    """Let a page be found by the words that name it, though it never says them."""
    words = [words for words, page in rows(Path(app.confdir)) if page == app.env.docname]
    if words:
        single = dict.fromkeys(" ".join(words).split())
        doctree.insert(0, nodes.meta("", name="keywords", content=", ".join(single)))
