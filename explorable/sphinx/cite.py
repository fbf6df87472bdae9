"""How the book is cited: each statement by its number, with the version; and what each page says of that.

What is cited stands in ``CITATION.cff``, beside ``_config.yml``.  Without a script the words *cite* lead
to the page that says how; with one they show the lines of BibTeX that stand in the link.
"""

import html
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from explorable import settings
from explorable.sphinx import statements

FILE, PAGE = "CITATION.cff", "book/reference/cite"


class Cited(NamedTuple):
    """What ``CITATION.cff`` says of the book."""

    title: str
    author: str
    version: str
    date: str


@cache
def cited(confdir: str) -> Cited | None:
    """Return what a book's folder says of how it is cited; None if it does not."""
    path = Path(confdir, FILE)
    if not path.is_file():
        return None
    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    names = [
        author.get("name") or f"{author['family-names']}, {author['given-names']}"
        for author in told["authors"]
    ]
    authors = " and ".join(f"{{{name}}}" if "," not in name else name for name in names)
    return Cited(told["title"], authors, str(told["version"]), str(told["date-released"]))


def bibtex(book: Cited, key: str, note: str = "", address: str = "") -> str:
    """Return an entry of BibTeX.

    Parameters
    ----------
    book : Cited
        What is cited.
    key : str
        Its key.
    note : str
        Which statement of it is meant.
    address : str
        Where it stands, if that is known.

    Examples
    --------
    >>> print(bibtex(Cited("A book", "{Its authors}", "1.0", "2026-01-02"), "a-book"))
    @misc{a-book,
      author  = {{Its authors}},
      title   = {A book},
      year    = {2026},
      version = {1.0},
      date    = {2026-01-02}
    }
    """
    told = {"author": book.author, "title": book.title, "year": book.date[:4], "version": book.version}
    told |= {"date": book.date, "note": note, "url": address}
    lines = [f"  {name:<7} = {{{value}}}" for name, value in told.items() if value]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"


def _link(app: Any, page: str, node: Any, book: Cited) -> nodes.raw:
    row = statements.rows()[node["label"]]
    name = statements.mention(row, "")
    note = f"{name[:1].upper()}{name[1:]}: {row.title}"
    if statements.is_reconstructed(node):
        note += " (formula reconstructed)"
    base, where = app.config.html_baseurl, f"{app.builder.get_target_uri(page)}#{node['ids'][0]}"
    where = f"{base.rstrip('/')}/{where}" if base else where
    # What LaTeX would take for its own.
    note = re.sub(r"([%&#_])", r"\\\1", note if base else f"{note}; {where}")
    entry = bibtex(book, f"{settings.name()}:{node['label']}", note, where if base else "")
    target = app.builder.get_relative_uri(page, PAGE)
    # The link to the place comes first: it is what a reader copies.
    text = (
        f'<a class="mb-cite" href="#{node["ids"][0]}" title="Link to this statement">#</a>'
        f'<a class="mb-cite" href="{target}" data-bibtex="{html.escape(entry)}" '
        f'aria-label="Cite {html.escape(name)}">cite</a>'
    )
    return nodes.raw("", text, format="html")


def add_links(app: Any, doctree: nodes.document, page: str) -> None:
    """Put into each box how it is linked to and cited."""
    book = cited(str(app.confdir))
    if book is None or PAGE not in app.env.found_docs or app.builder.format != "html":
        return
    for node in doctree.findall(statements.Statement):
        if node["label"] in statements.rows():
            node.children[0] += _link(app, page, node, book)  # type: ignore[operator]


def add_version(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Say below a page which version it is of."""
    book = cited(str(app.confdir))
    if book is None or app.builder.format != "html":
        return
    words = f"{settings.book().title} {book.version}, {book.date}"
    if PAGE in app.env.found_docs:
        words += f' · <a href="{context["pathto"](PAGE)}">How to cite</a>'
    context["theme_extra_footer"] = f'<p class="mb-version">{words}</p>'


class HowToCite(SphinxDirective):
    """The lines of BibTeX for the whole book: ``{how-to-cite}``."""

    def run(self) -> list[nodes.Node]:
        """Return them."""
        book = cited(str(self.env.app.confdir))
        self.env.note_dependency(str(Path(self.env.app.confdir, FILE)))
        if book is None:
            raise self.error(f"{FILE} is missing")
        base = self.env.app.config.html_baseurl
        text = bibtex(book, settings.name(), address=base or "")
        return [nodes.literal_block(text, text, language="bibtex")]


def register(app: Any) -> None:
    """Tell Sphinx of the directive."""
    app.add_directive("how-to-cite", HowToCite)
