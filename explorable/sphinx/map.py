"""How a reader finds a page: the map of the book, the list of its pages, its apps, colours, the search.

``{book-map}`` names in its option ``core`` the chapters that are the way: stations on a line.  The
others are optional and stand below it, by their parts.

The words of the ideas have the colours that the ideas have in the pictures: in headings, in the
titles of boxes and in the heads of chapters the notions are marked; in the text *in* and *out*,
where an author stresses them.  Colour never stands alone: the words say what they mean, and are
heavier.  A person of the cast whose name an author stresses has their dot beside it.

A search finds chapters before what is told of code.  A book's ``search.csv``, beside its pages, has a row
a word, or several that stand together: what is to come first, a page or a place of one, ``page#place``,
though it may say it otherwise.  So words of the field lead there.
"""

import csv
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from explorable import settings, validate
from explorable.palette import DARK_TWIN, sheet
from explorable.sphinx.words import Head, chapter_heads, page_link

_logger = logging.getLogger(__name__)


def parts(contents: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the chapters of each part of a table of contents, by the part's caption.

    Pages that stand under a chapter, *for the record*, are none of them.

    Examples
    --------
    >>> parts({"parts": [{"caption": "One", "chapters": [{"file": "a"}, {"file": "b"}]}]})
    {'One': ['a', 'b']}
    """
    return {
        part["caption"]: [chapter["file"] for chapter in part["chapters"]]
        for part in contents.get("parts", [])
    }


def all_pages(contents: Mapping[str, Any]) -> list[str]:
    """Return every page of a table of contents, those under a chapter behind it.

    Examples
    --------
    >>> one = {"file": "a", "sections": [{"file": "a-record"}]}
    >>> all_pages({"root": "i", "parts": [{"caption": "One", "chapters": [one]}]})
    ['i', 'a', 'a-record']
    """
    own = [contents[key] for key in ("root", "file") if key in contents]
    inner = [part for key in ("parts", "chapters", "sections") for part in contents.get(key, [])]
    return own + [page for part in inner for page in all_pages(part)]


def app_card(path: Path) -> tuple[str, str, str]:
    """Return the question that an app answers, its chapter, and the panel on its card if not the first.

    All stand in the notebook's metadata, under the name of the book.
    """
    metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"].get(settings.name(), {})
    for key in ("question", "chapter"):
        if not metadata.get(key):
            allowed = f'in the metadata of the notebook: "{settings.name()}": {{"{key}": "..."}}'
            validate.refuse(f"{path.name}, {key}", metadata.get(key), allowed)
    return metadata["question"], metadata["chapter"], metadata.get("picture", "")


def _contents(directive: SphinxDirective) -> tuple[Path, dict[str, list[str]]]:
    """Return the book's folder and the chapters of its parts; who changes these changes the page."""
    root = Path(directive.env.app.confdir)
    directive.env.note_dependency(str(root / "_toc.yml"))
    return root, parts(yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8")))


class _Apps(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        """Make a card of each app, in the order of the contents."""
        root, contents = _contents(self)
        cards = nodes.bullet_list(classes=["mb-apps"])
        for page in (page for pages in contents.values() for page in pages):
            path = root / f"{page}.ipynb"
            if path.is_file():
                self.env.note_dependency(str(path))
                question, chapter, panel = app_card(path)
                app, home = (page_link(name, self.env.docname) for name in (page, f"book/{chapter}"))
                lines = [[nodes.strong("", "", app)], [nodes.Text(question)], [home]]
                thumb = nodes.container(classes=["mb-thumb"], page=page, panel=panel)
                cards += nodes.list_item("", thumb, *(nodes.paragraph("", "", *line) for line in lines))
        return [cards]


_PICTURE = re.compile(r'<div class="mb-first mb-wide".*?</div>', re.DOTALL)
_WORDS = re.compile(r"<text.*?</text>", re.DOTALL)


def show_apps(app: Any, doctree: nodes.document, page: str) -> None:
    """Put a panel's first picture, without its words, on the card of its app or beside a lesson's step."""
    for thumb in doctree.findall(lambda node: isinstance(node, nodes.container) and "page" in node):
        drawn = [raw.astext() for raw in app.env.get_doctree(thumb["page"]).findall(nodes.raw)]
        # A build of some pages knows the others as they were written.
        written = Path(app.outdir) / f"{thumb['page']}.html"
        drawn += [written.read_text(encoding="utf-8")] if written.is_file() else []
        whole = "".join(drawn)
        # Of the panel that is named, or of the first one.
        if found := _PICTURE.search(whole, max(whole.find(f'id="{thumb.get("panel", "")}"'), 0)):
            thumb += nodes.raw("", _WORDS.sub("", found[0]), format="html")


_FOLD = re.compile(r"(>([^<]+)</a>\s*<details[^>]*>\s*<summary)>")


def name_folds(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Name each fold in the list of pages, which the theme shows as a sign only, after the page above it."""
    if made := context.get("generate_toctree_html"):
        context["generate_toctree_html"] = lambda *args, **options: _FOLD.sub(
            r'\1 aria-label="Under \2">', str(made(*args, **options))
        )


def follow_chapters(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Let the links at a page's foot go from chapter to chapter, past what stands under one."""
    builder, root = app.builder, app.config.root_doc
    relations = getattr(builder, "relations", {})
    for key, way in {"prev": 1, "next": 2}.items():
        other = relations.get(page, (None, None, None))[way]
        while other and relations[other][0] not in (None, root):
            other = relations[other][way]
        title = builder.render_partial(builder.env.titles[other])["title"] if other else ""
        context[key] = {"link": builder.get_relative_uri(page, other), "title": title} if other else None


def keep_titles(app: Any, env: Any) -> None:
    """Keep what the list of pages says of each page."""
    app.explorable_titles = {page: contents.deepcopy() for page, contents in env.tocs.items()}
    for contents in app.explorable_titles.values():
        for item in contents.children:
            below = [*item.findall(addnodes.toctree)]
            if len(item) > 1:  # its parts, and the pages below it
                item[1:] = [nodes.bullet_list("", *below)] if below else []


def list_titles(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Make the list of pages of titles alone: Sphinx copies all parts of all pages for each page first."""
    made, env = context["toctree"], app.env

    def toctree(**asked: Any) -> str:
        whole = env.tocs
        env.tocs = app.explorable_titles if asked.get("titles_only") else whole
        try:
            return str(made(**asked))
        finally:
            env.tocs = whole

    context["toctree"] = toctree


class _MapDirective(SphinxDirective):
    option_spec = {"core": directives.unchanged_required}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        root, contents = _contents(self)
        heads = chapter_heads(root)
        named = {part: [page.removeprefix("book/") for page in pages] for part, pages in contents.items()}
        own = settings.book().parts
        chapters = {part: names for part, names in named.items() if names[0].split("/")[0] in own}
        every = [name for names in chapters.values() for name in names]
        for name in every:
            self.env.note_dependency(str(root / "book" / f"{name}.md"))
        core = re.split(r"[\s,]+", self.options.get("core", "").strip())
        if unknown := set(core) - {"", *every}:
            _logger.warning("book-map: no chapter %s", sorted(unknown), location=self.get_location())
        stations = [self._stop(name, heads) for name in every if name in core]
        line = nodes.bullet_list("", *stations, classes=["mb-map-line"])
        aside = nodes.bullet_list(classes=["mb-map-aside"])
        told = nodes.bullet_list(classes=["mb-map-told"])
        for caption, names in chapters.items():
            if others := [self._stop(name, heads) for name in names if name not in core]:
                title = nodes.paragraph("", "", nodes.strong("", caption))
                aside += nodes.list_item("", title, nodes.bullet_list("", *others))
            told += [self._stop(name, heads, goal=True) for name in names if name in heads]
        opened, shut = (nodes.raw("", text, format="html") for text in (_TOLD, "</details>"))
        return [line, opened, aside, told, shut] if stations else [aside, opened, told, shut]

    def _stop(self, name: str, heads: Mapping[str, Head], goal: bool = False) -> nodes.list_item:
        """Return a chapter's link, with its minutes or with what one can do after it."""
        line = nodes.paragraph("", "", page_link(f"book/{name}", self.env.docname))
        if goal:
            words, messages = self.state.inline_text(heads[name].goal, self.lineno)
            line += [nodes.Text(". "), *words, *messages]
        elif name in heads:
            minutes = nodes.inline("", f"{heads[name].minutes} min", classes=["mb-map-minutes"])
            line += [nodes.Text(" "), minutes]
        return nodes.list_item("", line)


_TOLD = "<details><summary>All chapters, and what you can do after each</summary>"


_OTHERS = (nodes.literal, nodes.math, nodes.raw, nodes.reference)
# Of a statement, whose paper it is; "MIP paper" speaks of no notion.
_SOURCE = "mb-source"


@cache
def _word() -> re.Pattern[str]:
    """Return what finds the words of ideas, as they are written."""
    own = settings.book()
    names = sorted(name.upper() for name in own.ideas if name not in own.sides)
    return re.compile(rf"\b({'|'.join(names)})\b" if names else r"(?!)")


def _classes(word: str) -> list[str]:
    return ["mb-idea", f"mb-{word.lower()}"]


def _marked(text: nodes.Text) -> list[nodes.Node]:
    """Cut a text into its words of ideas, marked, and what stands between them."""
    parts = _word().split(text.astext())
    return [
        nodes.inline("", part, classes=_classes(part)) if i % 2 else nodes.Text(part)
        for i, part in enumerate(parts)
        if part
    ]


def _marks(text: nodes.Node, top: nodes.Element) -> bool:
    """Say whether words of ideas are marked in a text: not in code, links, and names of papers."""
    node: Any = text
    while node is not top:
        if isinstance(node, _OTHERS) or (isinstance(node, nodes.Element) and _SOURCE in node["classes"]):
            return False
        node = node.parent
    return True


def mark(app: Any, doctree: nodes.document, page: str = "") -> None:
    """Mark the words of the ideas on a page, in place.

    Parameters
    ----------
    app : object
        Sphinx's application.
    doctree : docutils.nodes.document
        A page that is about to be written.
    page : str
        Its name.
    """
    for stressed in doctree.findall(nodes.emphasis):
        word = stressed.astext()
        if word in settings.book().sides:
            stressed["classes"] += _classes(word)
        elif word in settings.book().people:
            stressed["classes"] += ["mb-person", f"mb-{word.lower()}"]
    # A heading in another colour looks half loaded.
    for place in (n for n in doctree.findall(nodes.container) if "mb-head" in n["classes"]):
        for text in list(place.findall(nodes.Text)):
            if _word().search(text) and _marks(text, place):
                text.parent.replace(text, _marked(text))


def style() -> str:
    """Return the CSS that gives the ideas their colours in the text, as ``var(--idea-mip)``.

    Examples
    --------
    >>> all(colour in style() for colour in settings.book().ideas.values())
    True
    """
    own = settings.book()
    ideas = {name: (colour, DARK_TWIN[colour]) for name, colour in own.ideas.items()}
    people = {name.lower(): (colour, DARK_TWIN[colour]) for name, colour in own.people.items()}
    words = [f".mb-{name} {{ color: var(--idea-{name}); }}\n" for name in ideas]
    faces = [
        f'.mb-{name}::before {{ content: "{name[0].upper()}" / ""; background: var(--face-{name}); }}\n'
        for name in people
    ]
    return "".join([sheet("idea", ideas), *words, sheet("face", people) if people else "", *faces])


def write_style(app: Any) -> None:
    """Write the colours of the ideas."""
    path = Path(app.outdir, "_static", "ideas.css")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(style(), encoding="utf-8")


# --- The search ----------------------------------------------------------------------------------

FILE = "search.csv"
# Sphinx's own numbers, and what a result is worth: a page that the book names, a chapter, the code.
_SCORER = Path(__file__).with_name("search.js")


def places(confdir: Path) -> list[tuple[str, str, str]]:
    """Return the words, the page that each is to find first, and the place on it."""
    return [
        (words, f"{path.parent.name}/{page.partition('#')[0]}", page.partition("#")[2])
        for path in sorted(confdir.glob(f"*/{FILE}"))
        for words, page in csv.reader(path.read_text(encoding="utf-8").splitlines()[1:])
    ]


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
    words = [words for words, page, _ in places(Path(app.confdir)) if page == app.env.docname]
    if single := dict.fromkeys(" ".join(words).split()):
        doctree.insert(0, nodes.meta("", name="keywords", content=", ".join(single)))


def register(app: Any) -> None:
    """Tell Sphinx of the directives and the styles."""
    app.add_directive("book-map", _MapDirective)
    app.add_directive("table-of-apps", _Apps)
    app.add_css_file("ideas.css")
