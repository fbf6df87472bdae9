"""What the cards of links to statements say, where the statement stands on another page.

A page holds the text of each statement that it links to elsewhere: it works without a network.
Of a statement on the page itself the script takes a copy.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes

from explorable.sphinx.statements import Statement, mention, rows, verdict

__all__ = ["bare", "connect", "linked"]


def bare(statement: Statement) -> Statement:
    """Return a copy of a statement that stands anywhere: no names, no links, no numbers.

    Parameters
    ----------
    statement : Statement
        A box of a page that has just been read.
    """
    copy: Statement = statement.deepcopy()
    for node in list(copy.findall(nodes.Element)):
        node.attributes.update(ids=[], names=[])  # docutils loses none of them by itself
        if isinstance(node, addnodes.pending_xref | nodes.reference):
            words = _said(node)
            node.parent.replace(node, [nodes.inline("", words)] if words else [])
        elif isinstance(node, nodes.target):
            node.parent.remove(node)
    for node in [copy, *copy.findall(nodes.Element)]:
        node.attributes.update(ids=[], names=[])
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


def linked(body: str) -> set[str]:
    """Return the names of the places on other pages to which a page's body links.

    Examples
    --------
    >>> linked('<a href="../mip/noise.html#mip-thm-5">x</a> <a href="#here">y</a>')
    {'mip-thm-5'}
    """
    return set(re.findall(r'href="[^"#]+#([\w.-]+)"', body))


def _kept(env: Any) -> dict[str, dict[str, Statement]]:
    if not hasattr(env, "mipbook_boxes"):
        env.mipbook_boxes = {}
    found: dict[str, dict[str, Statement]] = env.mipbook_boxes
    return found


def _collect(app: Any, doctree: nodes.document) -> None:
    boxes = {node["ids"][0]: bare(node) for node in doctree.findall(Statement)}
    _kept(app.env)[app.env.docname] = boxes


def _purge(app: Any, env: Any, page: str) -> None:
    _kept(env).pop(page, None)


def _merge(app: Any, env: Any, pages: set[str], other: Any) -> None:
    _kept(env).update({page: boxes for page, boxes in _kept(other).items() if page in pages})


def _html(app: Any, statement: Statement) -> str:
    """Return the inside of a statement's box, with what its check found."""
    # Docutils gives each admonition but this kind a title of its own.
    box = nodes.admonition("", *(child.deepcopy() for child in statement.children))
    text: str = app.builder.render_partial(box)["fragment"]
    inside = re.sub(r"\A\s*<div[^>]*>|</div>\s*\Z", "", text)
    status = verdict(statement["label"], app.env.mipbook_records)
    if status in (None, "holds"):
        return inside
    return inside.replace("</p>", f' <span class="mb-verdict-tag">{status}</span></p>', 1)


def _add_cards(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    body = context.get("body", "")
    if doctree is None or "#" not in body:
        return
    wanted = linked(body)
    boxes = [
        (anchor, box)
        for other, found in sorted(_kept(app.env).items())
        for anchor, box in found.items()
        if other != page and anchor in wanted
    ]
    context["body"] = body + "".join(
        f'<template class="mb-card-text" data-for="{anchor}">{_html(app, box)}</template>'
        for anchor, box in boxes
    )


def connect(app: Any) -> None:
    """Register with Sphinx."""
    # Behind what makes statements of a page's blocks, before what links their words.
    app.connect("doctree-read", _collect, priority=870)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("html-page-context", _add_cards, priority=905)
