"""The Sphinx side of a book: static panels, vendored scripts, checks, and when each part acts.

``HOOKS`` states what happens at which event of a build, and in which order.  The parts that stand in
`explorable.outputs` register what they need themselves; none of it hangs on this order.

A page loads few files: one style sheet, one script of the theme's, and the panels' own.  A phone asks for
six at a time, and the theme, Sphinx and its extensions bring thirty.  They are joined when all pages are
written.  The lists that later commands write stay files of their own.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from joblib import cpu_count
from sphinx.application import Sphinx

from explorable import settings, sources, threads
from explorable.outputs import exercises, files, lite
from explorable.panels import first
from explorable.panels.static import ASSETS, MEMORY, asset
from explorable.progress import STATIC_FACE
from explorable.sphinx import folds, glossary, identity, map, notebooks, reference, run, statements, words

# --- Few files -----------------------------------------------------------------------------------

STYLE, SCRIPT = "page.css", "page.js"
_ADDRESS = r'(?:href|src)="(?P<up>(?:\.\./)*_static/)(?P<name>{})(?:\?[^"]*)?"'
_STYLE = re.compile(rf'<link\b(?=[^>]*rel="stylesheet")[^>]*{_ADDRESS.format("[^?]*?[.]css")}[^>]*>\n?')
_THEIRS = "(?:scripts/[^?]*?|doctools|sphinx_highlight|clipboard[.]min|copybutton|togglebutton|page)[.]js"
_SCRIPT = re.compile(rf"<script\b[^>]*{_ADDRESS.format(_THEIRS)}[^>]*></script>\n?")
_EARLY = re.compile(r'<link rel="preload" as="script"[^>]*>\n?')
# What the theme's own inline scripts set things in.
_OPTIONS = re.compile(rf"<script {_ADDRESS.format('documentation_options[.]js')}></script>")
_IMPORT = re.compile(r'@import "([^"]+)";')
_URL = re.compile(r"url\((?![\"']?(?:data:|#))([\"']?)([^)\"']+)\1\)")
_MAP = re.compile(r"/\*# sourceMappingURL=.*?\*/|^//# sourceMappingURL=.*$", re.MULTILINE)
# A rule of a style sheet, at any depth; a class in its selector, or what a selector says of none.
_RULE = re.compile(r"(?P<kept>(?:\s*/\*(?:(?!\*/).)*\*/)*)(?P<who>[^{}@;]+)\{(?P<what>[^{}]*)\}", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)|\[[^\]]*\]")
# What may be, or must not; and a comma between two selectors, of those without a list in a list.
_MAYBE = re.compile(r":(?:not|is|where)\((?:[^()]|\([^()]*\))*\)")
_NESTED, _COMMA = re.compile(r"\([^)]*\("), re.compile(r",(?![^(]*\))")
# What a page, or a script, calls a class; a script may make one of its beginning.
_CLASSES = re.compile(r'class="([^"]*)"')
_WORD = re.compile(r"-?[A-Za-z_][\w-]*")
_HEADER = re.compile(r"/\* joined: (.*?) \*/")
# The theme asks of each part that may scroll, also in closed folds, whether it does: half a second on a
# phone, one layout a part. An observer is told when a part is laid out, and of all at once.
_SCROLLS = "e.scrollWidth>e.clientWidth||e.scrollHeight>e.clientHeight?0:-1"
_STOP, _OBSERVE = f"e.tabIndex={_SCROLLS}", "tabStops.observe(e)"
_STOPS = f"""const tabStops=new ResizeObserver((parts)=>parts.map(({{target:e}})=>[e,{_SCROLLS}])
  .forEach(([e,stop])=>{{e.tabIndex=stop}}));"""
# It forgets that a formula may scroll, too.
_FORMULA = ('["pre",".nboutput', '["pre",".katex-display",".nboutput')
# A `:has` that any element may fit is asked again of each that comes, while a page is read and drawn.
_DEAR = {":has(:focus-visible)": ":focus-within", ":has(> *:nth-child(2))": ":has(> .cell_output)"}
# On few pages.
_APART = ("sphinx-design",)


def _style(path: Path, static: Path) -> str:
    """Return a style sheet as it reads from the static folder."""

    def placed(match: re.Match[str]) -> str:
        target = (path.parent / match[2].split("?")[0].split("#")[0]).resolve()
        return f'url("{target.relative_to(static).as_posix()}")'

    text = _URL.sub(placed, path.read_text(encoding="utf-8"))
    for dear, cheap in _DEAR.items():
        text = text.replace(dear, cheap)
    return _IMPORT.sub(lambda m: _style((path.parent / m[1]).resolve(), static), text)


def _called(static: Path, pages: Iterable[str]) -> tuple[set[str], tuple[str, ...]]:
    """Return all classes that a page or a script may give, and the beginnings of those that scripts make."""
    words = {word for text in pages for told in _CLASSES.findall(text) for word in told.split()}
    for path in (*static.glob("*.js"), *static.glob("scripts/*.js")):
        words |= set(_WORD.findall(path.read_text(encoding="utf-8"))) if path.name != SCRIPT else set()
    return words, tuple(word for word in words if word.endswith("-") and len(word) > 1)


def _less(style: str, called: tuple[set[str], tuple[str, ...]]) -> str:
    """Leave out what is said of classes that no page has and no script gives: half of all.

    Examples
    --------
    >>> _less("/*! A, (B, C) @d */.a,.b{x:y}.b:not(.a){z:w}.a:not(.b){v:u}", ({"a"}, ()))
    '/*! A, (B, C) @d */.a{x:y}.a:not(.b){v:u}'
    """
    words, begun = called

    def needed(selector: str) -> bool:
        names = filter(None, _CLASS.findall(_MAYBE.sub("", selector)))
        return all(name in words or name.startswith(begun) for name in names)

    def rule(match: re.Match[str]) -> str:
        who, kept = _COMMENT.sub("", match["who"]), match["kept"] + "".join(_COMMENT.findall(match["who"]))
        found = [each for each in ([who] if _NESTED.search(who) else _COMMA.split(who)) if needed(each)]
        return f"{kept}{','.join(found)}{{{match['what']}}}" if found else kept

    return _RULE.sub(rule, style)


def _script(path: Path) -> str:
    text = path.read_text("utf-8")
    told = text.replace(_STOP, _OBSERVE).replace(*_FORMULA)
    return f";{_STOPS if _STOP in text else ''}{told}\n"


def _one(text: str, pattern: re.Pattern[str], new: str, at: int = 0) -> str:
    """Put one element in the place of that which matches, the first or the last, and of all others."""
    parts = [m for m in pattern.finditer(text) if not m["name"].startswith(_APART)]
    for match in reversed(parts):
        put = new.format(match["up"]) if match is parts[at] else ""
        text = text[: match.start()] + put + text[match.end() :]
    return text


def join(out: Path) -> None:
    """Let the pages of a built book name two joined files.

    Parameters
    ----------
    out : pathlib.Path
        The folder of the HTML that has been built.
    """
    static = (out / "_static").resolve()
    found = sorted([*out.glob("*.html"), *out.glob("book/**/*.html")])
    # The search's own scripts run at once, and need the others before.
    pages = {path: path.read_text(encoding="utf-8") for path in found}
    called = _called(static, pages.values())
    pages = {path: text for path, text in pages.items() if path.name != "search.html"}

    def joined(pattern: re.Pattern[str], name: str, read: Callable[[Path], str]) -> str:
        """Join the files that the pages name; return the address of the one that this makes."""
        named = dict.fromkeys(m["name"] for text in pages.values() for m in pattern.finditer(text))
        told, target = [part for part in named if part != name and not part.startswith(_APART)], static / name
        if not told and target.is_file() and (header := _HEADER.match(target.read_text(encoding="utf-8"))):
            told = header[1].split()  # no page is new: what was joined then may be
        body = "".join(_MAP.sub("", read(static / part)) for part in told)
        target.write_text(f"/* joined: {' '.join(told)} */\n{body}", encoding="utf-8")
        return f"{name}?v={hashlib.sha256(body.encode()).hexdigest()[:8]}"

    style = joined(_STYLE, STYLE, lambda path: _less(_style(path, static), called))
    script = joined(_SCRIPT, SCRIPT, _script)
    link = f'<link rel="stylesheet" href="{{}}{style}">\n'
    load = f'<script defer src="{{}}{script}"></script>\n'
    options = (static / "documentation_options.js").read_text(encoding="utf-8")
    for path, text in pages.items():
        # The theme's own comes after the panels', which then ask for plotly a quarter of a second earlier.
        new = _one(_one(_EARLY.sub("", text), _STYLE, link), _SCRIPT, load, -1)
        new = _OPTIONS.sub(f"<script>{options}</script>", new)
        if new != text:
            path.write_text(new, encoding="utf-8")


# --- What acts when ----------------------------------------------------------------------------


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
    out, static = Path(app.outdir), Path(app.outdir, "_static")
    files.copy_scripts(static)
    for name in ASSETS:
        (static / name).write_text(asset(name), encoding="utf-8")
    files.list_printed(out)
    files.list_here(out)


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

    def told(one: Any) -> str:  # a script's file name and, of an inline one, its text
        return f"{getattr(one, 'filename', one)} {getattr(one, 'attributes', '')}".lower()

    for kind in ("script_files", "css_files"):
        kept = [one for one in context.get(kind, []) if not any(word in told(one) for word in left)]
        context[kind] = kept
    if "body" in context:
        body = with_contents(context["body"], context.get("toc", ""))
        # Docutils calls the list of references a list, but its entries are no list items.
        context["body"] = body.replace('<div role="list" class="citation', '<div class="citation')


def with_contents(body: str, contents: str) -> str:
    """Fold the page's own contents under its title, if it has parts."""
    parts = re.search(r"<ul>.*?(<ul>.*</ul>).*</ul>", contents, re.DOTALL)
    if parts is None:
        return body
    fold = f'<details class="mb-contents"><summary>On this page</summary>{parts[1]}</details>'
    return body.replace("</h1>", f"</h1>\n{fold}", 1)


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Forget old prints, and join the theme's files once they have been copied, without those for icons."""
    out = Path(app.outdir)
    if exception is None:
        files.list_printed(out)
        files.empty_icon_script(out / "_static")
        join(out)
        files.forget_states(out)


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
    Hook("config-inited", 920, map.write_scorer),
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
    Hook("doctree-read", 800, words.set_formulas, "the outputs of cells"),
    Hook("doctree-read", 800, first.draw_pictures, "the outputs of cells, and the scripts beside the pages"),
    Hook("doctree-read", 800, map.add_words),
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
    Hook("doctree-resolved", 510, statements.add_links, "all that stands in a statement's title"),
    Hook("doctree-resolved", 500, folds.list_results, "the records and the anchors of all pages"),
    Hook("doctree-resolved", 500, map.show_apps, "the pictures of all pages"),
    Hook("doctree-resolved", 900, map.mark, "all that makes titles"),
    # Its HTML.
    Hook("html-page-context", 400, map.list_titles, "Sphinx's own list, of which the theme makes its own"),
    Hook("html-page-context", 500, reference.link_code, "code as Pygments wrote it"),
    Hook("html-page-context", 900, tidy_page, "the theme's own context"),
    Hook("html-page-context", 900, statements.add_version),
    Hook("html-page-context", 905, glossary.add_statements, "all links of the page"),
    Hook("html-page-context", 910, glossary.add_entries, "the cards of statements, which use words too"),
    Hook("html-page-context", 950, identity.dress, "the theme's logo, which it replaces"),
    Hook("html-page-context", 900, map.follow_chapters, "Sphinx's own neighbours of a page"),
    Hook("html-page-context", 950, map.name_folds, "the theme's function that makes the list"),
    Hook("html-page-context", 960, notebooks.offer, "the theme's menu of downloads"),
    Hook("build-finished", 500, identity.write_lists),
    Hook("build-finished", 500, notebooks.write_notebooks),
    Hook("build-finished", 900, finish, "the theme's files and colours of code, which Sphinx writes last"),
)
PARTS = (folds, words, map, reference, run, statements)
OUTPUTS = (files, exercises, lite)


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
    kept = {"env_version": 9}
    return {"version": "1", **kept, "parallel_read_safe": True, "parallel_write_safe": True}
