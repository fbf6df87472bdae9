"""The Sphinx side of the book: static panels, vendored scripts, the page of results."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

from docutils import nodes
from joblib import cpu_count
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from explorable import checks as ledger
from explorable import sources, threads
from explorable.checks import mutants
from explorable.checks.page import ledger_table
from explorable.outputs import exercises, files, lessons, lite_offer
from explorable.panels.assets import ASSETS, asset
from explorable.panels.static import MEMORY
from explorable.progress import STATIC_FACE
from explorable.sphinx import (
    address,
    alone,
    bookmap,
    brand,
    cards,
    contents,
    execute,
    folds,
    head,
    ideas,
    menu,
    notebooks,
    prose,
    statements,
    status,
    terms,
)
from explorable.sphinx.reference import pages

__all__ = ["setup"]


def _configure(app: Sphinx, config: Any) -> None:
    # Kernels inherit the variable, so every Explorable shows its static face.
    os.environ[STATIC_FACE] = "static"
    threads.single()
    root = Path(app.confdir)
    os.environ[MEMORY] = str(root / "_build" / ".panels")
    os.environ[sources.MEMORY] = str(root / "_build" / ".uses")
    config.nb_execution_cache_path = str(root / "_build" / ".jupyter_cache")


def _page_context(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    # Thebe runs code on a server elsewhere; this book does not use it.
    scripts = context.get("script_files", [])
    context["script_files"] = [s for s in scripts if "thebe" not in _told(s).lower()]
    if "body" in context:
        context["body"] = _with_contents(context["body"], context.get("toc", ""))
        # Docutils calls the list of references a list, but its entries are no list items.
        context["body"] = context["body"].replace('<div role="list" class="citation', '<div class="citation')


def _with_contents(body: str, contents: str) -> str:
    """Fold the page's own contents under its title, if it has parts."""
    parts = re.search(r"<ul>.*?(<ul>.*</ul>).*</ul>", contents, re.DOTALL)
    if parts is None:
        return body
    fold = f'<details class="mb-contents"><summary>On this page</summary>{parts[1]}</details>'
    return body.replace("</h1>", f"</h1>\n{fold}", 1)


def _told(script: Any) -> str:
    """Return a script's file name and, for an inline one, its text."""
    return f"{getattr(script, 'filename', script)} {getattr(script, 'attributes', '')}"


def _vendor(app: Sphinx) -> None:
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        files.copy_scripts(static)
        for name in ASSETS:
            (static / name).write_text(asset(name), encoding="utf-8")
        files.list_printed(Path(app.outdir))
        files.list_here(Path(app.outdir))


def _finish(app: Sphinx, exception: Exception | None) -> None:
    """Forget old prints, and the theme's script of icons once the theme has been copied."""
    if app.builder.format == "html" and exception is None:
        files.list_printed(Path(app.outdir))
        files.empty_icon_script(Path(app.outdir) / "_static")


class _Ledger(nodes.General, nodes.Element):
    """Stands for the table until all pages have been read."""


class _LedgerDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [_Ledger()]


def _records(env: Any) -> dict[str, list[ledger.Record]]:
    if not hasattr(env, "mipbook_records"):
        env.mipbook_records = {}
        env.mipbook_anchors = {}
        env.mipbook_ledger_pages = set()
    records: dict[str, list[ledger.Record]] = env.mipbook_records
    return records


def _purge(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    _records(env).pop(page, None)
    env.mipbook_anchors.pop(page, None)  # type: ignore[attr-defined]
    env.mipbook_ledger_pages.discard(page)  # type: ignore[attr-defined]


def _collect(app: Sphinx, doctree: nodes.document) -> None:
    """Take the records and the anchors of results from a page that has just been read."""
    env: Any = app.env
    page = env.docname
    found = [r for raw in doctree.findall(nodes.raw) for r in ledger.read_records(raw.astext())]
    ids = {row.id for row in ledger.results()}
    anchors = {}
    for node in doctree.findall(nodes.Element):
        for name in {node.get("label"), *node.get("ids", []), *node.get("names", [])} & ids:
            anchors[name] = node["ids"][0] if node.get("ids") else name
    _records(env)[page] = found
    env.mipbook_anchors[page] = anchors
    if any(True for _ in doctree.findall(_Ledger)):
        env.mipbook_ledger_pages.add(page)


def _merge(app: Sphinx, env: Any, pages: set[str], other: Any) -> None:
    _records(env).update({p: r for p, r in _records(other).items() if p in pages})
    env.mipbook_anchors.update({p: a for p, a in other.mipbook_anchors.items() if p in pages})
    env.mipbook_ledger_pages |= other.mipbook_ledger_pages & set(pages)


def _tally(app: Sphinx, n_jobs: int) -> Callable[[], dict[str, mutants.Tally]]:
    """Find now what is known of the checks, and return how the rest is judged and all added."""
    root = Path(app.confdir)
    memory = root / "_build" / ".mutants"
    known, anew = mutants.known_book(root / "book", memory)

    def tally() -> dict[str, mutants.Tally]:
        if not anew:
            return mutants.added(known.values())
        print(f"mipbook: {len(anew)} pages to judge, by planted errors in their checks", flush=True)
        verdicts = mutants.judge_chapters(anew, memory, n_jobs)
        return mutants.added([*known.values(), *map(mutants.tallies, verdicts.values())])

    return tally


def _judge_ahead(app: Any, env: Any, pages: list[str]) -> None:
    """Begin to judge the checks: it takes the cores that wait while pages are read and written."""
    if app.config.mipbook_pages is not None:
        return
    app.mipbook_tallies = Future()
    # The cores are counted now, for the pages that are executed tell their kernels another number.
    # Two processes at least, and code read here: Python 3.11 breaks where two threads parse code.
    tally = _tally(app, max(2, cpu_count()))

    def judge() -> None:
        try:
            app.mipbook_tallies.set_result(tally())
        except BaseException as error:  # told when the tallies are asked for
            app.mipbook_tallies.set_exception(error)

    Thread(target=judge, daemon=True).start()


def _rewrite(app: Any, env: Any) -> list[str]:
    _records(env)
    # What each check catches of planted errors, by the result's id.
    env.mipbook_tallies = {}
    pages = app.config.mipbook_pages
    if pages is not None and not env.mipbook_ledger_pages & set(pages):
        return []  # some pages alone are built, and not that of results
    if env.mipbook_ledger_pages:
        ahead = app.mipbook_tallies
        env.mipbook_tallies = ahead.result() if pages is None else _tally(app, -1)()
    return sorted(env.mipbook_ledger_pages)


def _write_side_by_side(app: Any, env: Any) -> None:
    """Let a whole book's pages be written by a process a core: all cores wait for that."""
    # Asked after the reading, for not all extensions allow that in several processes.
    if app.config.mipbook_pages is None:
        app.parallel = cpu_count() + 1  # one of them hands out the pages


def _resolve(app: Sphinx, doctree: nodes.document, page: str) -> None:
    env: Any = app.env
    for placeholder in list(doctree.findall(_Ledger)):
        links = {
            name: f"{app.builder.get_relative_uri(page, other)}#{anchor}"
            for other, anchors in env.mipbook_anchors.items()
            for name, anchor in anchors.items()
        }
        checks = {
            record.id: f"{app.builder.get_relative_uri(page, other)}#{folds.anchor(record.id)}"
            for other, found in _records(env).items()
            for record in found
        }
        checked = [record for found in _records(env).values() for record in found]
        table = ledger_table(checked, links, env.mipbook_tallies, checks)
        placeholder.replace_self(nodes.raw("", table, format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register everything with Sphinx."""
    app.add_config_value("mipbook_pages", None, "", [list, type(None)])
    app.add_node(_Ledger)
    app.add_directive("results-ledger", _LedgerDirective)
    app.add_css_file("fonts.css")
    app.add_css_file("explorable.css")
    app.add_css_file("book.css")
    app.add_css_file("print.css")
    app.add_js_file(files.PDF_LIST, loading_method="defer")
    app.add_js_file(files.HERE_LIST, loading_method="defer")
    app.add_js_file("explorable.js", loading_method="defer")
    pages.connect(app)
    address.connect(app)
    alone.connect(app)
    bookmap.connect(app)
    cards.connect(app)
    brand.connect(app)
    contents.connect(app)
    files.connect(app)
    exercises.connect(app)
    folds.connect(app)
    head.connect(app)
    lite_offer.connect(app)
    ideas.connect(app)
    lessons.connect(app)
    menu.connect(app)
    notebooks.connect(app)
    prose.connect(app)
    statements.connect(app)
    status.connect(app)
    terms.connect(app)
    app.connect("config-inited", _configure, priority=900)
    app.connect("builder-inited", _vendor)
    app.connect("html-page-context", _page_context, priority=900)
    app.connect("env-get-outdated", execute.outdated)
    app.connect("env-before-read-docs", _judge_ahead)
    app.connect("env-before-read-docs", execute.pages_ahead)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("doctree-read", _collect, priority=900)
    app.connect("env-updated", _rewrite)
    app.connect("env-check-consistency", _write_side_by_side)
    app.connect("doctree-resolved", _resolve)
    app.connect("build-finished", _finish)
    # Who changes what is kept of a page raises the number: all pages are read anew.
    kept = {"env_version": 3}
    return {"version": "1", **kept, "parallel_read_safe": True, "parallel_write_safe": True}
