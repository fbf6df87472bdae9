"""Statements carry one number, their paper's: headers, verdicts, links and citations are made here.

A block of sphinx-proof whose label is a row of ``results.csv`` gets its kind, number and source
from there; its argument is a title in words.  ``{prf:ref}`mip-thm-4``` leads to the box and shows
its number, with the paper where the page belongs to another.  A block with a label of its own
shows its kind and its title.

The book is cited as ``CITATION.cff`` says, beside ``_config.yml``: each statement by its number, with the
version.  Without a script the words *cite* lead to the page that says how; with one they show the lines
of BibTeX that stand in the link.
"""

import html
import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode
from sphinx_proof.domain import ProofDomain

from explorable import checks, settings
from explorable.checks.ledger import STATUSES, Result
from explorable.checks.ledger import rows as rows
from explorable.sphinx.run import PerPage
from explorable.sphinx.words import html_node, panel_specs

_logger = logging.getLogger(__name__)
# How sphinx-proof puts the argument of a block into the page.
_ARGUMENT = re.compile(r"\A \((.*)\)\Z", flags=re.S)
LONGEST_TITLE = 45
# What the checks of each page found, and where the results are that it states.
RECORDS: PerPage[list[checks.Record]] = PerPage("records")
ANCHORS: PerPage[dict[str, str]] = PerPage("anchors")
# How a box says that its formula is lost in the text that the book works from.
_LOST = re.compile(r"\b[Rr]econstructed\b|\bReconstruction:")
_TAGS = {STATUSES[1]: "mb-corrected", STATUSES[2]: "mb-false"}


class Statement(nodes.Admonition, nodes.Element):
    """A statement with its paper's number, which Sphinx does not count."""


def _place(row: Result) -> tuple[str, str]:
    """Return a result's kind with its number, and the place where a paper gives no number."""
    kind = row.kind.capitalize()
    if not row.number.startswith("sec.") and row.number != "appendix":
        return f"{kind} {row.number}", ""
    part = row.number.removeprefix("sec.").strip()
    return kind, f"section {part}" if part[:1].isdigit() else ""


def header(row: Result) -> str:
    """Return the kind and number that stand on a statement's box.

    Examples
    --------
    >>> header(Result("a", "paper", "theorem", "4", "Title", "chapter"))
    'Theorem 4'
    >>> header(Result("a", "paper", "example", "sec. 3.2", "Title", "chapter"))
    'Example, section 3.2'
    """
    return ", ".join(filter(None, _place(row)))


def own_source(page: str) -> str | None:
    """Return the document that a page tells of; None for a page that belongs to none."""
    parts = page.split("/")
    notions = settings.book().parts
    return notions[parts[1]][0] if len(parts) > 2 and parts[1] in notions else None


def mention(row: Result, page: str) -> str:
    """Return how a page names a result: with the paper, if the page belongs to another."""
    name, place = _place(row)
    told = f"{name} in {place}" if place else name
    if row.source == own_source(page):
        return told
    source = settings.book().sources[row.source]
    known = source if "paper" in source else source.lower()
    return f"{told} of {'' if known.startswith('this ') else 'the '}{known}"


def mistake(argument: str, row: Result | None) -> str | None:
    """Return what is wrong with the title of a statement; None if nothing is."""
    if len(argument) > LONGEST_TITLE:
        return f"the title has {len(argument)} characters, at most {LONGEST_TITLE}"
    said = [settings.book().sources[row.source], _place(row)[0]] if row else []
    twice = next((name for name in said if re.search(rf"\b{re.escape(name)}\b", argument)), None)
    return f"the title repeats {twice!r}, which the box says by itself" if twice else None


def verdict(identifier: str, records: dict[str, list[checks.Record]]) -> str | None:
    """Return the gravest status that the checks of a result found; None without a check."""
    found = [r.status for page in records.values() for r in page if r.id == identifier]
    return max(found, key=STATUSES.index, default=None)


def _words(old: nodes.title) -> list[Any]:
    """Return the nodes of a title without what sphinx-proof puts around it."""
    children: list[Any] = [child.deepcopy() for child in old.children]
    for at, cut in ((0, slice(2, None)), (-1, slice(None, -1))):
        if children and isinstance(children[at], nodes.Text):
            children[at] = nodes.Text(children[at].astext()[cut])
    return children


def _statement(node: Any, row: Result | None) -> Statement:
    old, body = node.children
    name = header(row) if row else node["realtype"].capitalize()
    title = nodes.title("", "", nodes.inline("", f"{name}.", classes=["mb-number"]))
    if found := _ARGUMENT.match(node["title"]):
        if wrong := mistake(found[1], row):
            _logger.warning("%s: %s", node["label"], wrong, location=node)
        title += [nodes.Text(" "), nodes.inline("", "", *_words(old), classes=["mb-title"])]
    if row:
        source = nodes.inline("", settings.book().sources[row.source], classes=["mb-source"])
        title += [nodes.Text(" "), source]
        if is_reconstructed(body):
            tag = nodes.abbreviation("", "reconstructed", classes=["mb-verdict-tag", "mb-lost"])
            if how := _how_sure(body):
                tag["explanation"] = how
            title += [nodes.Text(" "), tag]
    made = Statement(ids=node["ids"], classes=node["classes"], label=node["label"])
    made.source, made.line = node.source, node.line
    # Not a section: it has no part in the page's contents, and its name was not its own.
    made.extend([title, nodes.compound("", *body.children, classes=body["classes"])])
    return made


def _how_sure(body: nodes.Element) -> str:
    """Take the note that says how sure a reconstruction is, for its tag; one with formulas stays."""
    for note in body.findall(nodes.paragraph):
        only, told = note.children[0], str(note.astext())
        how = told.removeprefix("Reconstructed: ")
        plain = isinstance(only, nodes.emphasis) and not only.next_node(nodes.Element)
        if len(note) == 1 and plain and how != told:
            note.parent.remove(note)
            return how[0].upper() + how[1:]
    return ""


def is_reconstructed(node: nodes.Element) -> bool:
    """Return whether a box says that what it states was lost in part, and put together again."""
    return bool(_LOST.search(node.astext()))


def make_statements(app: Any, doctree: nodes.document) -> None:
    """Put the statements of a page that has just been read in place of sphinx-proof's."""
    env = app.env
    slugs = env.metadata[env.docname].setdefault("myst_slugs", {})
    blocks: list[Any] = [n for n in doctree.findall(nodes.Admonition) if "realtype" in n.attributes]
    for node in blocks:
        label = node["label"]
        made = _statement(node, rows().get(label))
        name, *words = made.children[0].astext().split(". ", 1)
        title = f"{name} ({words[0]})" if words else name.rstrip(".")
        env.proof_list[label]["title"] = title
        # A Markdown link from another page, ``noise.md#mip-thm-4``, looks here.
        slugs[label] = (node.line or 0, node["ids"][0], title)
        node.replace_self(made)


def forget_statements(app: Any, env: Any, pages: list[str]) -> None:
    """Forget the statements that a page no longer has: it may not be read in this build."""
    for label, entry in list(getattr(env, "proof_list", {}).items()):
        path = Path(env.doc2path(entry["docname"]))
        if not path.is_file() or f":label: {label}\n" not in path.read_text(encoding="utf-8"):
            del env.proof_list[label]
            ANCHORS.of(env).get(entry["docname"], {}).pop(label, None)


def tag_statements(app: Any, doctree: nodes.document, page: str) -> None:
    """Say on each box what its check found, if the statement does not hold as it stands."""
    for node in doctree.findall(Statement):
        status = verdict(node["label"], RECORDS.of(app.env))
        if status in _TAGS:
            tag = nodes.inline("", status, classes=["mb-verdict-tag", _TAGS[status]])
            node.children[0] += [nodes.Text(" "), tag]  # type: ignore[operator]


class _Domain(ProofDomain):
    """Links that show the paper's number, to any result that has a place in the book."""

    def resolve_xref(
        self, env: Any, page: str, builder: Any, typ: str, target: str, node: Any, inner: Any
    ) -> Any:
        found = self._link(env, page, builder, target, node, inner)
        if found is None:
            _logger.warning("prf:ref: no statement has the label %r", target, location=node)
        return found

    def resolve_any_xref(self, *asked: Any) -> list[Any]:
        """Resolve a Markdown link such as ``[words](#mip-thm-4)``."""
        found = self._link(*asked)
        return [("prf:ref", found)] if found else []

    def merge_domaindata(self, docnames: Any, otherdata: Any) -> None:
        """Take nothing from another process: all is in ``proof_list``, which sphinx-proof merges."""

    @staticmethod
    def _link(env: Any, page: str, builder: Any, target: str, node: Any, inner: Any) -> Any:
        row = rows().get(target)
        own: Any = getattr(env, "proof_list", {}).get(target)
        places = [(p, a[target]) for p, a in ANCHORS.of(env).items() if target in a]
        if own and not places:
            places = [(own["docname"], own["ids"][0])]
        if not places:
            return None
        if not node.get("refexplicit"):
            inner = nodes.inline("", mention(row, page) if row else own["title"])
        elif isinstance(inner, nodes.literal):  # a role sets its words as code, $formulas$ too
            parts = enumerate(inner.astext().split("$"))
            words = [nodes.math("", part) if i % 2 else nodes.Text(part) for i, part in parts if part]
            inner = nodes.inline("", "", *words)
        return make_refnode(builder, page, *places[0], inner)


def place_heads(app: Any, doctree: nodes.document) -> None:
    """Put what a page calls neighbours before its first statement, and its goal behind its first panel.

    The first statement needs the one; the other must not keep the panel from the first screen.
    """
    first: Any = next(iter(doctree.findall(Statement)), None)
    panel: Any = next((raw for raw in doctree.findall(nodes.raw) if panel_specs(raw, "mb-explorable")), None)
    while panel is not None and not isinstance(panel.parent, nodes.section):
        panel = panel.parent
    for head in [n for n in doctree.findall(nodes.container) if "mb-head" in n["classes"]]:
        is_goal = "mb-neighbours" not in head["classes"]
        place = panel if is_goal else first
        if place is not None:
            head.parent.remove(head)
            place.parent.insert(place.parent.index(place) + is_goal, head)


# --- How it is cited ---------------------------------------------------------------------------------

CITATION, HOW = "CITATION.cff", "book/reference/cite"


@cache
def cited(confdir: str) -> dict[str, str] | None:
    """Return what ``CITATION.cff`` in a book's folder says, as BibTeX has it; None if there is none."""
    path = Path(confdir, CITATION)
    if not path.is_file():
        return None
    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    authors = " and ".join(
        f"{{{one['name']}}}" if "name" in one else f"{one['family-names']}, {one['given-names']}"
        for one in told["authors"]
    )
    date = str(told["date-released"])
    whole = {"author": authors, "title": told["title"], "year": date[:4]}
    return {**whole, "version": str(told["version"]), "date": date}


def bibtex(key: str, **fields: str) -> str:
    """Return an entry of BibTeX, without the fields that are empty.

    Examples
    --------
    >>> print(bibtex("a-book", title="A book", note="", date="2026-01-02"))
    @misc{a-book,
      title   = {A book},
      date    = {2026-01-02}
    }
    """
    lines = [f"  {name:<7} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"


def _link(app: Any, page: str, node: Any, book: dict[str, str]) -> nodes.raw:
    row = rows()[node["label"]]
    name = mention(row, "")
    note = f"{name[:1].upper()}{name[1:]}: {row.title}"
    if is_reconstructed(node):
        note += " (formula reconstructed)"
    base, where = app.config.html_baseurl, f"{app.builder.get_target_uri(page)}#{node['ids'][0]}"
    where = f"{base.rstrip('/')}/{where}" if base else where
    # What LaTeX would take for its own.
    note = re.sub(r"([%&#_])", r"\\\1", note if base else f"{note}; {where}")
    entry = bibtex(f"{settings.name()}:{node['label']}", **book, note=note, url=where if base else "")
    target = app.builder.get_relative_uri(page, HOW)
    # The link to the place comes first: it is what a reader copies.
    text = (
        f'<a class="mb-cite" href="#{node["ids"][0]}" title="Link to this statement">#</a>'
        f'<a class="mb-cite" href="{target}" data-bibtex="{html.escape(entry)}" '
        f'aria-label="Cite {html.escape(name)}">cite</a>'
    )
    return nodes.raw("", text, format="html")


def add_links(app: Any, doctree: nodes.document, page: str) -> None:
    """Put into each box how it is linked to and cited."""
    book = cited(str(app.confdir)) if HOW in app.env.found_docs else None
    for node in doctree.findall(Statement):
        if book and node["label"] in rows():
            node.children[0] += _link(app, page, node, book)  # type: ignore[operator]


def add_version(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Say below a page which version it is of."""
    if (book := cited(str(app.confdir))) is None:
        return
    words = f"{settings.book().title} {book['version']}, {book['date']}"
    if HOW in app.env.found_docs:
        words += f' · <a href="{context["pathto"](HOW)}">How to cite</a>'
    context["theme_extra_footer"] = f'<p class="mb-version">{words}</p>'


class HowToCite(SphinxDirective):
    """The lines of BibTeX for the whole book: ``{how-to-cite}``."""

    def run(self) -> list[nodes.Node]:
        """Return them."""
        book = cited(str(self.env.app.confdir))
        self.env.note_dependency(str(Path(self.env.app.confdir, CITATION)))
        if book is None:
            raise self.error(f"{CITATION} is missing")
        text = bibtex(settings.name(), **book, url=self.env.app.config.html_baseurl or "")
        return [nodes.literal_block(text, text, language="bibtex")]


def _visit(writer: Any, node: Statement) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="admonition mb-statement"))


def register(app: Any) -> None:
    """Tell Sphinx of the statements, over what sphinx-proof registers."""
    html_node(app, Statement, _visit, "</div>")
    app.setup_extension("sphinx_proof")
    app.add_domain(_Domain, override=True)
    app.add_directive("how-to-cite", HowToCite)
