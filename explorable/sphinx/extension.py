"""The Sphinx side of a book: static panels, vendored scripts, checks, and when each part acts.

``HOOKS`` states what happens at which event of a build, and in which order.  The parts that stand in
`explorable.outputs` register what they need themselves; none of it hangs on this order.
"""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from joblib import cpu_count
from sphinx.application import Sphinx

from explorable import settings, sources, threads
from explorable.outputs import exercises, files, lite
from explorable.panels import first
from explorable.panels.static import ASSETS, MEMORY, asset
from explorable.progress import STATIC_FACE
from explorable.sphinx import (
    cite,
    folds,
    formulas,
    glossary,
    heads,
    identity,
    map,
    notebooks,
    reference,
    run,
    search,
    statements,
    words,
)


def configure(app: Sphinx, config: Any) -> None:
    """Tell this process, and the kernels that inherit it, which book is built, and where."""
    if config.explorable_book:
        settings.use(config.explorable_book)
    # So every Explorable shows its static face.
    settings.tell(STATIC_FACE, "static")
    threads.single()
    root = Path(app.confdir)
    settings.tell(MEMORY, str(root / "_build" / ".panels"))
    settings.tell(sources.MEMORY, str(root / "_build" / ".uses"))
    config.templates_path.append(str(Path(__file__).parents[1] / "templates" / "sphinx"))
    config.nb_execution_cache_path = str(root / run.CACHE)


def write_scripts(app: Sphinx) -> None:
    """Put the panels' scripts and all that is not ours beside the pages."""
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        files.copy_scripts(static)
        for name in ASSETS:
            (static / name).write_text(asset(name), encoding="utf-8")
        files.list_printed(Path(app.outdir))
        files.list_here(Path(app.outdir))


def side_by_side(app: Any, *_: Any) -> None:
    """Let a whole book's pages be read and written by a process a core."""
    if app.config.explorable_pages is None:
        app.parallel = cpu_count() + 1  # one of them hands out the pages
        # They keep nothing of a page that they read, and do not say so.
        for name in ("sphinx_multitoc_numbering", "sphinx_jupyterbook_latex"):
            app.extensions[name].parallel_read_safe = True


def tidy_page(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Take what the book does not use from a page, and fold its contents."""
    # Thebe runs code on a server elsewhere; cards and tabs are on few pages, if any.
    left = ("thebe",) if 'class="sd-' in context.get("body", "") else ("thebe", "design")
    for kind in ("script_files", "css_files"):
        files_of = context.get(kind, [])
        context[kind] = [one for one in files_of if not any(word in _told(one).lower() for word in left)]
    if "body" in context:
        context["body"] = with_contents(context["body"], context.get("toc", ""))
        # Docutils calls the list of references a list, but its entries are no list items.
        context["body"] = context["body"].replace('<div role="list" class="citation', '<div class="citation')


def with_contents(body: str, contents: str) -> str:
    """Fold the page's own contents under its title, if it has parts."""
    parts = re.search(r"<ul>.*?(<ul>.*</ul>).*</ul>", contents, re.DOTALL)
    if parts is None:
        return body
    fold = f'<details class="mb-contents"><summary>On this page</summary>{parts[1]}</details>'
    return body.replace("</h1>", f"</h1>\n{fold}", 1)


def _told(script: Any) -> str:
    """Return a script's file name and, for an inline one, its text."""
    return f"{getattr(script, 'filename', script)} {getattr(script, 'attributes', '')}"


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Forget old prints, and join the theme's files once they have been copied, without those for icons."""
    if app.builder.format == "html" and exception is None:
        files.list_printed(Path(app.outdir))
        files.empty_icon_script(Path(app.outdir) / "_static")
        heads.join(Path(app.outdir))
        files.forget_states(Path(app.outdir))


class Hook(NamedTuple):
    """What acts at an event of Sphinx's; of one event the smaller priority first, as they stand."""

    event: str
    priority: int
    act: Callable[..., Any]
    # What it needs before it.
    after: str = ""


HOOKS = (
    Hook("config-inited", 900, configure, "_config.yml as jupyter-book translated it"),
    Hook("config-inited", 910, identity.name_address, "the book's name"),
    Hook("config-inited", 920, search.write_scorer),
    Hook("builder-inited", 500, identity.write_files),
    Hook("builder-inited", 500, map.write_style),
    Hook("builder-inited", 500, write_scripts),
    # Which pages are read, and what of them is executed first.
    Hook("env-get-outdated", 500, run.outdated),
    Hook("env-before-read-docs", 500, statements.forget_statements, "the pages that are to be read"),
    Hook("env-before-read-docs", 500, folds.judge_ahead, "the cores, before kernels are told another number"),
    Hook("env-before-read-docs", 500, run.pages_ahead, "all that narrows the pages"),
    Hook("env-before-read-docs", 500, side_by_side, "the pages that are executed"),
    Hook("env-purge-doc", 500, run.forget_page),
    Hook("env-merge-info", 500, run.merge_pages),
    # A page that was read: MyST-NB has put the outputs of its cells into it.
    Hook("autodoc-process-docstring", 500, reference.complete_docstring),
    Hook("doctree-read", 500, reference.collect_calls, "code that nobody has folded"),
    Hook("doctree-read", 800, formulas.set_formulas, "the outputs of cells"),
    Hook("doctree-read", 800, first.draw_pictures, "the outputs of cells, and the scripts beside the pages"),
    Hook("doctree-read", 800, search.add_words),
    Hook("doctree-read", 850, statements.make_statements, "sphinx-proof's blocks"),
    Hook("doctree-read", 860, statements.place_heads, "statements; before words in them are linked"),
    Hook("doctree-read", 870, glossary.keep_boxes, "statements; before words in them are linked"),
    Hook("doctree-read", 900, run.keep_skeleton, "statements, which are not numbered"),
    Hook("doctree-read", 900, words.bind_words, "the outputs of cells"),
    Hook("doctree-read", 900, folds.collect_records, "statements, and the outputs of cells"),
    Hook("doctree-read", 950, folds.fold_cells, "all who read the code and the records of a page"),
    Hook("doctree-read", 950, glossary.link_words, "all that rewrites a page"),
    # All pages were read: Sphinx gives numbers, by the skeletons alone.
    Hook("env-get-updated", 1, run.number_skeletons),
    Hook("env-get-updated", 999, run.number_no_more, "Sphinx's own numbers"),
    Hook("env-updated", 500, folds.list_anew, "the records of all pages"),
    Hook("env-check-consistency", 500, map.keep_titles, "the titles of all pages"),
    # A page that is about to be written.
    Hook("doctree-resolved", 500, reference.name_callers, "the calls of all pages"),
    Hook("doctree-resolved", 500, folds.tell_checks, "what the checks catch"),
    Hook("doctree-resolved", 500, statements.tag_statements, "the records of all pages"),
    Hook("doctree-resolved", 510, cite.add_links, "all that stands in a statement's title"),
    Hook("doctree-resolved", 500, folds.list_results, "the records and the anchors of all pages"),
    Hook("doctree-resolved", 500, map.show_apps, "the pictures of all pages"),
    Hook("doctree-resolved", 900, map.mark, "all that makes titles"),
    # Its HTML.
    Hook(
        "html-page-context",
        400,
        map.list_titles,
        "Sphinx's own list; before the theme makes its list of that",
    ),
    Hook("html-page-context", 500, reference.link_code, "code as Pygments wrote it"),
    Hook("html-page-context", 900, tidy_page, "the theme's own context"),
    Hook("html-page-context", 900, cite.add_version),
    Hook("html-page-context", 905, glossary.add_statements, "all links of the page"),
    Hook("html-page-context", 910, glossary.add_entries, "the cards of statements, which use words too"),
    Hook("html-page-context", 950, identity.dress, "the theme's logo, which it replaces"),
    Hook("html-page-context", 900, map.follow_chapters, "Sphinx's own neighbours of a page"),
    Hook("html-page-context", 950, map.name_folds, "the theme's function that makes the list"),
    Hook("html-page-context", 960, notebooks.offer, "the theme's menu of downloads"),
    Hook("build-finished", 500, identity.write_lists),
    Hook("build-finished", 500, notebooks.write_notebooks),
    Hook(
        "build-finished", 900, finish, "the theme's files, which Sphinx copies last, and its colours of code"
    ),
)
PARTS = (cite, folds, formulas, map, reference, run, statements, words)
OUTPUTS = (files, exercises, lite)


def connect(app: Sphinx, *modules: ModuleType) -> None:
    """Connect the hooks of some modules."""
    names = {module.__name__ for module in modules}
    for hook in HOOKS:
        if hook.act.__module__ in names:
            app.connect(hook.event, hook.act, priority=hook.priority)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register everything with Sphinx."""
    app.add_config_value("explorable_book", "", "", [str])
    app.add_config_value("explorable_pages", None, "", [list, type(None)])
    # Pages are read anew where it changes.
    app.add_config_value("explorable_pictures", first.digest(), "env", [str])
    for style in ("fonts.css", "explorable.css", "book.css", "print.css"):
        app.add_css_file(style)
    for script in (files.PDF_LIST, files.HERE_LIST, "explorable.js"):
        app.add_js_file(script, loading_method="defer")
    for part in PARTS:
        part.register(app)
    for hook in HOOKS:
        app.connect(hook.event, hook.act, priority=hook.priority)
    for output in OUTPUTS:
        output.connect(app)
    # Who changes what is kept of a page raises the number: all pages are read anew.
    kept = {"env_version": 8}
    return {"version": "1", **kept, "parallel_read_safe": True, "parallel_write_safe": True}
