"""Links to a place or a state of another page, which are addresses once all pages are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

__all__ = ["connect", "page_place"]


class _PagePlace(nodes.reference):
    """Stands for the link; a reference, so that nobody puts another link into its words."""


def page_place(
    words: Sequence[nodes.Node], page: str, behind: str, classes: Sequence[str] = ()
) -> nodes.reference:
    """Return a link to a page and to what stands behind its address.

    Parameters
    ----------
    words : sequence of nodes
        What is underlined.
    page : str
        Such as ``book/mip/noise``.
    behind : str
        Such as ``#exercises`` or ``?poll#guess``.
    classes : sequence of str
        How it looks.
    """
    told = {"page": page, "behind": behind, "internal": True, "classes": list(classes)}
    return _PagePlace("", "", *words, **told)


def _resolve(app: Any, doctree: nodes.document, page: str) -> None:
    for link in list(doctree.findall(_PagePlace)):
        address = f"{app.builder.get_relative_uri(page, link['page'])}{link['behind']}"
        told = {"refuri": address, "internal": True, "classes": link["classes"]}
        link.replace_self(nodes.reference("", "", *link.children, **told))


def connect(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_node(_PagePlace)
    app.connect("doctree-resolved", _resolve)
