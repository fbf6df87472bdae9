"""Words of the glossary and statements of other pages: what the cards of links to them say.

A word of the glossary is linked at its first use on a page, which need do nothing; a word that a
page explains itself is marked ``{dfn}`word```, and is not linked there.  What a card says stands in
the page, for pages work without a network.  Of a statement on the page itself the script takes a
copy.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.nodes import _make_id

from explorable.sphinx.run import PerPage
from explorable.sphinx.statements import RECORDS, Statement, mention, rows, verdict
from explorable.sphinx.words import Words, formula

PAGE = Path("book", "reference", "glossary.md")
# Pages whose words are names of the package, or which list the words themselves.
_LEFT_OUT = re.compile(r"book/reference/(glossary|bibliography|api/.*)$")
# Where no word is linked: headings, code, formulas, links, buttons, heads of tables and boxes.
_HEADS = (nodes.title, nodes.subtitle, nodes.rubric, nodes.caption, nodes.term, nodes.thead)
_SIGNS = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw, nodes.Invisible)
_SKIPPED = (*_HEADS, *_SIGNS, nodes.reference, addnodes.pending_xref, Words)

# The statements of each page, by their places.
BOXES: PerPage[dict[str, Statement]] = PerPage("boxes")


@dataclass(frozen=True)
class Entry:
    """A word of the glossary, how else it is written, and what it means (Markdown)."""

    name: str
    forms: tuple[str, ...]
    meaning: str

    @property
    def anchor(self) -> str:
        """Where the entry stands on the page of the glossary."""
        return _make_id(f"term-{self.name}")


def spelled(term: str) -> list[str]:
    """Return the ways of writing a term: with its sign left out, and its acronym.

    Examples
    --------
    >>> spelled("differential privacy (DP)"), spelled("diversity, $C_K$")
    (['differential privacy', 'DP'], ['diversity'])
    """
    acronym = re.search(r"\(([A-Z]{2,})\)$", term)
    bare = re.sub(r"\s*\(.*\)$", "", term).split(",")[0]
    return [bare, acronym[1]] if acronym else [bare]


def entries(text: str) -> dict[str, Entry]:
    """Return the words of a page's glossaries, by their anchors."""
    found = {}
    for block in re.findall(r"^```\{glossary\}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"\n\s*\n", block.strip()):
            lines = part.splitlines()
            names = [line for line in lines if not line.startswith(" ")]
            meaning = " ".join(line.strip() for line in lines[len(names) :])
            forms = tuple(form for name in names for form in spelled(name))
            entry = Entry(names[0].replace("$", ""), forms, meaning)
            found[entry.anchor] = entry
    return found


@cache
def _read(path: Path, changed: int) -> tuple[dict[str, Entry], re.Pattern[str], dict[str, str]]:
    known = entries(path.read_text(encoding="utf-8"))
    return known, *pattern(known)


def _known(root: str) -> tuple[dict[str, Entry], re.Pattern[str], dict[str, str]]:
    path = Path(root) / PAGE
    return _read(path, path.stat().st_mtime_ns)


def _plain(form: str) -> str:
    """Return one key for all ways to write a form: number, case, dashes, spaces."""
    bare = re.sub(r"[\s\-–]+", " ", form)
    return bare if form.isupper() else bare.casefold()


def pattern(known: dict[str, Entry]) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return what finds the words in a text, longest first, and whose anchor each one means."""
    keys, cased, folded = dict[str, str](), list[str](), list[str]()
    for anchor, entry in known.items():
        for form in entry.forms:
            many = [form] if form.isupper() else [form, *_plurals(form)]
            keys.update(dict.fromkeys(map(_plain, many), anchor))
            (cased if form.isupper() else folded).extend(many)

    def either(forms: list[str]) -> str:
        order = sorted(forms, key=len, reverse=True)
        return "|".join(re.sub(r"(\\?[ –-])+", r"[\\s–-]+", re.escape(form)) for form in order)

    words = rf"(?i:{either(folded)})|(?:{either(cased)})"
    # A sign may stand before a word (as epsilon before "-DP"), no letter; and none behind it.
    return re.compile(rf"(?<!\w)(?<!\w[-–])(?:{words})(?![\w]|[-–]\w)"), keys


def _plurals(form: str) -> list[str]:
    irregular = {"half": "halves", "y": "ies", "is": "es"}
    ends = [form[: -len(end)] + many for end, many in irregular.items() if form.endswith(end)]
    return [*ends, f"{form}s"]


def _joined(node: nodes.Element) -> None:
    """Join neighbouring texts: a line's end within a word makes two of one."""
    whole: list[nodes.Node] = []
    for is_text, group in groupby(node.children, lambda child: isinstance(child, nodes.Text)):
        found = list(group)
        whole += [nodes.Text("".join(text.astext() for text in found))] if is_text else found
    if len(whole) < len(node.children):
        node.clear()
        node.extend(whole)


def _texts(node: nodes.Element) -> Iterator[nodes.Text]:
    """Go through the texts of a page in which words may be linked."""
    _joined(node)
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child
        elif isinstance(child, nodes.Element) and not isinstance(child, _SKIPPED):
            yield from _texts(child)


def _owned(doctree: nodes.document, keys: dict[str, str]) -> set[str]:
    """Return the anchors of the words that the page explains or links itself."""
    found = set()
    for node in doctree.findall(nodes.Element):
        if "dfn" in node.get("classes", ()) or node.get("reftype") == "term":
            forms = (*spelled(node.get("reftarget", node.astext())), node.astext())
            found |= {keys[form] for form in map(_plain, forms) if form in keys}
    return found


def _link(text: str, anchor: str, glossary: str) -> nodes.reference:
    # No reference for Sphinx to resolve: of a page that is built alone it would ask the glossary
    # as it was read before.
    words = nodes.inline(text, text, classes=["mb-term"])
    return nodes.reference("", "", words, internal=True, refuri=f"{glossary}#{anchor}")


def link_terms(doctree: nodes.document, glossary: str, root: str) -> None:
    """Link each word of the glossary, an address, where a page first uses it.

    Parameters
    ----------
    doctree : docutils.nodes.document
        A page that has just been read.
    glossary : str
        The address of the glossary, as seen from the page.
    root : str
        The repository's folder.
    """
    _, find, keys = _known(root)
    done = _owned(doctree, keys)
    for text in list(_texts(doctree)):
        words, parts, at = text.astext(), [], 0
        for match in find.finditer(words):
            anchor = keys[_plain(match[0])]
            if anchor in done:
                continue
            done.add(anchor)
            parts += [nodes.Text(words[at : match.start()]), _link(match[0], anchor, glossary)]
            at = match.end()
        if parts:
            parts.append(nodes.Text(words[at:]))
            text.parent.replace(text, [part for part in parts if part.astext()])


def card_html(meaning: str) -> str:
    r"""Return what a card says, as HTML; where to read on is left to the page of the glossary.

    Examples
    --------
    >>> card_html("At *most* all. Explained in {doc}`/book/mip/noise`.")
    'At <em>most</em> all.'
    """
    kept = re.sub(r"\s*\S+ in \{doc\}`[^`]*`\.", "", meaning)
    return "".join(
        f'<span class="math notranslate nohighlight">{formula(part)}</span>'
        if i % 2
        else re.sub(r"\*([^*]+)\*", r"<em>\1</em>", html.escape(part, quote=False))
        for i, part in enumerate(kept.split("$"))
    )


def link_words(app: Any, doctree: nodes.document) -> None:
    """Link the words of a page that has just been read."""
    here, page = app.env.docname, Path(app.confdir) / PAGE
    if not _LEFT_OUT.search(here) and page.is_file():
        app.env.note_dependency(str(page))
        address = app.builder.get_relative_uri(here, PAGE.with_suffix("").as_posix())
        link_terms(doctree, address, app.confdir)


def add_entries(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Put what the cards of a page say at its end."""
    body = context.get("body", "")
    if doctree is None or "#term-" not in body:
        return
    known = _known(app.confdir)[0]
    wanted = dict.fromkeys(re.findall(r'href="[^"]*#(term-[\w-]+)"', body))
    for entry in (known[anchor] for anchor in wanted if anchor in known):
        name = html.escape(entry.name.split(",")[0])
        _add(context, entry.anchor, f"<strong>{name}</strong><p>{card_html(entry.meaning)}</p>")


def _add(context: Any, anchor: str, card: str) -> None:
    context["body"] += f'<template class="mb-card-text" data-for="{anchor}">{card}</template>'


def bare(statement: Statement) -> Statement:
    """Return a copy of a statement that stands anywhere: no names, no links, no numbers.

    Parameters
    ----------
    statement : Statement
        A box of a page that has just been read.
    """
    copy: Statement = statement.deepcopy()
    for node in list(copy.findall(nodes.Element)):
        if isinstance(node, addnodes.pending_xref | nodes.reference):
            words = _said(node)
            node.parent.replace(node, [nodes.inline("", words)] if words else [])
        elif isinstance(node, nodes.target):
            node.parent.remove(node)
    for node in [copy, *copy.findall(nodes.Element)]:
        node.attributes.update(ids=[], names=[])  # docutils loses none of them by itself
        node.document, node.rawsource = None, ""
        if isinstance(node, nodes.math_block):
            node.attributes.update(label=None, number=None)
    return copy


def _said(link: nodes.Element) -> str:
    """Return what a link would say; nothing of one to the bibliography."""
    if link.get("refdomain") == "cite":
        return ""
    row = rows().get(link.get("reftarget", ""))
    return link.astext() if link.get("refexplicit", True) or not row else mention(row, "")


def keep_boxes(app: Any, doctree: nodes.document) -> None:
    """Keep the statements of a page that was read."""
    boxes = {node["ids"][0]: bare(node) for node in doctree.findall(Statement)}
    BOXES.of(app.env)[app.env.docname] = boxes


def _html(app: Any, statement: Statement) -> str:
    """Return the inside of a statement's box, with what its check found."""
    # Docutils gives each admonition but this kind a title of its own.
    box = nodes.admonition("", *(child.deepcopy() for child in statement.children))
    text: str = app.builder.render_partial(box)["fragment"]
    inside = re.sub(r"\A\s*<div[^>]*>|</div>\s*\Z", "", text)
    status = verdict(statement["label"], RECORDS.of(app.env))
    if status in (None, "holds"):
        return inside
    return inside.replace("</p>", f' <span class="mb-verdict-tag">{status}</span></p>', 1)


def add_statements(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Put the statements of other pages to which a page links at its end."""
    body = context.get("body", "")
    if doctree is None or "#" not in body:
        return
    wanted = set(re.findall(r'href="[^"#]+#([\w.-]+)"', body))
    for other, found in sorted(BOXES.of(app.env).items()):
        for anchor, box in found.items():
            if other != page and anchor in wanted:
                _add(context, anchor, _html(app, box))
