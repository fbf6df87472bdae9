"""What a build of some pages leaves as it stands, and what it need not read again.

Sphinx numbers figures and statements anew at every build, and for that reads all pages, with all
that their panels hold.  So a page's skeleton is kept when it is read: its parts and what has a
number.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

__all__ = ["connect", "leave_others", "load_index", "skeleton"]

_NAMED = (nodes.title, nodes.caption)


def _has_number(node: nodes.Node, env: Any) -> bool:
    return any(domain.get_enumerable_node_type(node) for domain in env.domains.values())


def skeleton(node: nodes.Element, env: Any) -> nodes.Element | None:
    """Return what of a page Sphinx looks at when it gives numbers; None if that is nothing.

    Parameters
    ----------
    node : docutils.nodes.Element
        A page as it was read, or a part of it.
    env : sphinx.environment.BuildEnvironment
        Its domains know what has a number.
    """
    inner = [skeleton(each, env) for each in node.children if isinstance(each, nodes.Element)]
    kept: list[nodes.Node] = [each for each in inner if each is not None]
    whole = isinstance(node, nodes.section | addnodes.toctree) or _has_number(node, env)
    if not whole and not kept:
        return type(node)("", node.astext()) if isinstance(node, _NAMED) else None
    bare = nodes.Element() if isinstance(node, nodes.document) else node.copy()
    # A node drags its whole page along.
    bare.document, bare.rawsource = None, ""
    bare += kept
    return bare


def _keep(app: Any, doctree: nodes.document) -> None:
    _skeletons(app.env)[app.env.docname] = skeleton(doctree, app.env) or nodes.Element()


def _skeletons(env: Any) -> dict[str, nodes.Element]:
    if not hasattr(env, "mipbook_skeletons"):
        env.mipbook_skeletons = {}
    found: dict[str, nodes.Element] = env.mipbook_skeletons
    return found


def _purge(app: Any, env: Any, page: str) -> None:
    _skeletons(env).pop(page, None)


def _merge(app: Any, env: Any, pages: Collection[str], other: Any) -> None:
    _skeletons(env).update({p: s for p, s in _skeletons(other).items() if p in pages})


def _before_numbers(app: Any, env: Any) -> list[str]:
    env.get_doctree = _skeletons(env).__getitem__
    return []


def _after_numbers(app: Any, env: Any) -> list[str]:
    del env.get_doctree
    return []


def leave_others(app: Any, wanted: Collection[str]) -> None:
    """Let the builder write the wanted pages alone; others only where there are none yet."""
    builder = app.builder
    serial = builder._write_serial

    def write(names: Collection[str]) -> None:
        serial([n for n in names if n in wanted or not Path(builder.get_outfilename(n)).is_file()])

    builder._write_serial = write
    # A page that was just put under another has its place there, though that is not read again.
    for name, document in app.config.external_site_map.items():
        for child in document.child_files():
            app.env.files_to_rebuild.setdefault(child, set()).add(name)
    if Path(builder.get_outfilename("search")).is_file():
        builder.gen_indices = builder.gen_additional_pages = lambda: None


def load_index(builder: Any, names: Collection[str]) -> None:
    """Load the search index of the pages that are not built; Sphinx would warn of one too few."""
    path = Path(builder.outdir, builder.searchindex_filename)
    with suppress(OSError, ValueError), path.open(encoding="utf-8") as stream:
        builder.indexer.load(stream, builder.indexer_format)
        builder.indexer.prune(set(builder.env.all_docs) - set(names))


def connect(app: Any) -> None:
    """Register it with Sphinx."""
    app.connect("doctree-read", _keep, priority=900)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("env-get-updated", _before_numbers, priority=1)
    app.connect("env-get-updated", _after_numbers, priority=999)
