"""The map of the book, the list of its pages and of its apps, and the colours of its parts.

``{book-map}`` names the chapters that are the core in its option ``core``; the others are
optional; with ``alone`` the pages that are no chapters are left out. The picture is for wide
pages, the list says the same and stands alone on narrow ones.

The words of the ideas have the colours that the ideas have in the pictures: in headings, in the
titles of boxes and in the heads of chapters the notions are marked; in the text *in* and *out*,
where an author stresses them.  Colour never stands alone: the words say what they mean, and are
heavier.  A person of the cast whose name an author stresses has their dot beside it.
"""

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from explorable import settings, validate
from explorable.palette import DARK_TWIN, sheet
from explorable.sphinx.words import Head, chapter_heads, page_link

_HEADS = ("app", "question", "chapter")


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


def app_card(path: Path) -> tuple[str, str]:
    """Return the question that an app answers and the chapter that it belongs to.

    Both stand in the notebook's metadata, under the name of the book.
    """
    metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"].get(settings.name(), {})
    for key in ("question", "chapter"):
        if not metadata.get(key):
            allowed = f'in the metadata of the notebook: "{settings.name()}": {{"{key}": "..."}}'
            validate.refuse(f"{path.name}, {key}", metadata.get(key), allowed)
    return metadata["question"], metadata["chapter"]


def _contents(directive: SphinxDirective) -> tuple[Path, dict[str, list[str]]]:
    """Return the book's folder and the chapters of its parts; who changes these changes the page."""
    root = Path(directive.env.app.confdir)
    directive.env.note_dependency(str(root / "_toc.yml"))
    return root, parts(yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8")))


class _Apps(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        """Make a table of the apps, in the order of the contents."""
        root, contents = _contents(self)
        table, group = nodes.table(), nodes.tgroup(cols=len(_HEADS))
        table += group
        group += [nodes.colspec(colwidth=width) for width in (3, 5, 3)]
        group += nodes.thead("", _row([nodes.Text(head) for head in _HEADS]))
        body = nodes.tbody()
        group += body
        for page in (page for pages in contents.values() for page in pages):
            path = root / f"{page}.ipynb"
            if path.is_file():
                question, chapter = app_card(path)
                links = [page_link(name, self.env.docname) for name in (page, f"book/{chapter}")]
                body += _row([links[0], nodes.Text(question), links[1]])
        return [table]


def _row(cells: list[nodes.Node]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


_FOLD = re.compile(r"(>([^<]+)</a>\s*<details[^>]*>\s*<summary)>")


def named(menu: str) -> str:
    """Return a list of pages in which each fold is named after the page above it.

    Parameters
    ----------
    menu : str
        The theme's HTML, whose folds show a sign only.

    Examples
    --------
    >>> named('<a href="x">Noise</a><details><summary><i></i></summary></details>')
    '<a href="x">Noise</a><details><summary aria-label="Under Noise"><i></i></summary></details>'
    """
    return _FOLD.sub(r'\1 aria-label="Under \2">', menu)


def name_folds(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Name the folds in the list of pages, which the theme makes."""
    made = context.get("generate_toctree_html")
    if made:
        context["generate_toctree_html"] = lambda *args, **options: named(str(made(*args, **options)))


_logger = logging.getLogger(__name__)
# Pixels of the picture: four boxes a row on the page's wide stage.
_COLUMNS, _WIDE, _HIGH, _GAP, _BELOW, _CAPTION = 4, 231, 52, 20, 32, 32


@dataclass(frozen=True)
class Box:
    """A chapter on the map: its place in pixels, and what its box says."""

    page: str
    title: str
    minutes: int
    core: bool
    x: int
    y: int


def direct_needs(heads: Mapping[str, Head]) -> dict[str, list[str]]:
    """Return what each chapter needs, without what another of its needs asks for already.

    Examples
    --------
    >>> heads = {"a": Head("", 5), "b": Head("", 5, ("a",)), "c": Head("", 5, ("a", "b"))}
    >>> direct_needs(heads)
    {'a': [], 'b': ['a'], 'c': ['b']}
    """

    def all_of(name: str, seen: frozenset[str] = frozenset()) -> set[str]:
        if name in seen:
            raise ValueError(f"needs = {name!r}: must not need itself")
        needs = heads[name].needs if name in heads else ()
        return set(needs).union(*(all_of(need, seen | {name}) for need in needs))

    found = {}
    for name, head in heads.items():
        implied = set().union(*(all_of(need, frozenset({name})) for need in head.needs))
        found[name] = [need for need in head.needs if need not in implied]
    return found


def boxes(
    chapters: Mapping[str, Sequence[str]],
    heads: Mapping[str, Head],
    titles: Mapping[str, str],
    core: Sequence[str],
) -> tuple[list[Box], list[tuple[str, int]], int]:
    """Lay the chapters out, a part below the other; return boxes, captions and the height.

    Parameters
    ----------
    chapters : mapping of str to sequence of str
        The chapters by the caption of their part.
    heads : mapping
        What the chapters say of themselves.
    titles : mapping
        The chapters' titles.
    core : sequence of str
        The chapters that are no option.
    """
    found, captions, y = [], [], 0
    for caption, names in chapters.items():
        captions.append((caption, y + 18))
        y += _CAPTION
        for i, name in enumerate(names):
            row, column = divmod(i, _COLUMNS)
            place = column * (_WIDE + _GAP), y + row * (_HIGH + _BELOW)
            minutes = heads[name].minutes if name in heads else 0
            found.append(Box(name, titles[name], minutes, name in core, *place))
        y += -(-len(names) // _COLUMNS) * (_HIGH + _BELOW)
    return found, captions, y


def _arrow(start: Box, end: Box) -> str:
    """Return the path from a box to one that needs it."""
    if start.y == end.y and end.x - start.x == _WIDE + _GAP:
        y = start.y + _HIGH / 2
        return f"M{start.x + _WIDE} {y}H{end.x - 3}"
    # Beside each other's middle, so that arrows from and to one box stay apart.
    x1, x2 = start.x + _WIDE * 0.62, end.x + _WIDE * 0.38
    if start.y == end.y:
        y = start.y - 14
        return f"M{x1} {start.y}C{x1} {y} {x2} {y} {x2} {end.y - 3}"
    bend = max(26.0, (end.y - start.y - _HIGH) * 0.5)
    y1, y2 = start.y + _HIGH, end.y - 3
    return f"M{x1} {y1}C{x1} {y1 + bend} {x2} {y2 - bend} {x2} {y2}"


def drawing(
    found: Sequence[Box],
    captions: Sequence[tuple[str, int]],
    height: int,
    needs: Mapping[str, Sequence[str]],
    links: Mapping[str, str],
) -> str:
    """Return the map as SVG: boxes with links, and an arrow to each from what it needs."""
    by_page = {box.page: box for box in found}
    wide = _COLUMNS * (_WIDE + _GAP) - _GAP
    arrows = "".join(
        f'<path d="{_arrow(by_page[need], box)}" data-from="{need}" data-to="{box.page}"/>'
        for box in found
        for need in needs.get(box.page, ())
    )
    drawn = []
    for box in found:
        kind = "core" if box.core else "optional"
        told = ", ".join([f"{box.minutes} min"] * bool(box.minutes) + ["optional"] * (not box.core))
        drawn.append(
            f'<a href="{html.escape(links[box.page])}" class="mb-map-{kind} '
            f'mb-map-{box.page.split("/")[0]}" aria-label="{html.escape(box.title)}, {told}">'
            f'<rect x="{box.x + 1}" y="{box.y + 1}" width="{_WIDE - 2}" height="{_HIGH - 2}" '
            f'rx="6"/><text x="{box.x + 12}" y="{box.y + 22}">{html.escape(box.title)}</text>'
            f'<text class="mb-map-minutes" x="{box.x + 12}" y="{box.y + 41}">{told}</text></a>'
        )
    names = "".join(
        f'<text class="mb-map-part" x="0" y="{y}">{html.escape(name)}</text>' for name, y in captions
    )
    head = (
        '<defs><marker id="mb-map-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
    )
    return (
        f'<svg class="mb-map" viewBox="0 0 {wide} {height}" role="group" '
        'aria-label="Map of the chapters: an arrow leads to each chapter from what it needs">'
        f'{head}<g class="mb-map-arrows">{arrows}</g>{names}{"".join(drawn)}</svg>'
    )


class _Map(nodes.General, nodes.Element):
    """Stands for the picture until the titles of all pages are known."""


class _MapDirective(SphinxDirective):
    option_spec = {"core": directives.unchanged_required, "alone": directives.flag}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        root, contents = _contents(self)
        heads = chapter_heads(root)
        chapters: dict[str, list[str]] = {}
        rest: dict[str, list[str]] = {}
        for caption, pages in contents.items():
            names = [page.removeprefix("book/") for page in pages]
            told = names[0].split("/")[0] in settings.book().parts
            (chapters if told else rest)[caption] = names
        for name in (name for names in chapters.values() for name in names):
            self.env.note_dependency(str(root / "book" / f"{name}.md"))
        core = re.split(r"[\s,]+", self.options.get("core", "").strip())
        unknown = set(core) - {"", *(name for names in chapters.values() for name in names)}
        if unknown:
            _logger.warning("book-map: no chapter %s", sorted(unknown), location=self.get_location())
        picture = _Map(chapters=chapters, heads=heads, core=core)
        listed = nodes.bullet_list(classes=["mb-map-list"])
        for caption, names in chapters.items():
            listed += self._part(caption, names, heads, core)
        opened, shut = (nodes.raw("", text, format="html") for text in (_LIST, "</details>"))
        if "alone" in self.options:
            return [picture, opened, listed, shut]
        others = nodes.paragraph(classes=["mb-map-rest"])
        for caption, names in rest.items():
            others += [nodes.Text(" "), nodes.strong("", f"{caption}.")]
            for i, name in enumerate(names):
                others += [nodes.Text("; " if i else " "), self._link(name)]
            others += nodes.Text(".")
        return [picture, opened, listed, shut, others]

    def _link(self, name: str) -> nodes.Node:
        return page_link(f"book/{name}", self.env.docname)

    def _part(
        self, caption: str, names: list[str], heads: Mapping[str, Head], core: list[str]
    ) -> nodes.list_item:
        inner = nodes.bullet_list()
        for name in names:
            line = nodes.paragraph("", "", self._link(name))
            if name in heads:
                option = "" if name in core else ", optional"
                line += nodes.Text(f" ({heads[name].minutes} min{option}). ")
                goal, messages = self.state.inline_text(heads[name].goal, self.lineno)
                line += [*goal, *messages]
            inner += nodes.list_item("", line)
        return nodes.list_item("", nodes.paragraph("", "", nodes.strong("", caption)), inner)


_LIST = (
    '<details class="mb-map-told" open><summary>The map as a list, with what you can do after '
    "each chapter</summary>"
)


def _plain(title: str) -> str:
    """Return a title whose formulas are signs."""
    for formula, sign in settings.book().signs.items():
        title = title.replace(formula, sign)
    return title.replace("$", "")


def draw_map(app: Any, doctree: nodes.document, page: str) -> None:
    """Draw the map in its place."""
    for node in list(doctree.findall(_Map)):
        names = [name for part in node["chapters"].values() for name in part]
        titles = {name: _plain(app.env.titles[f"book/{name}"].astext()) for name in names}
        links = {n: app.builder.get_relative_uri(page, f"book/{n}") for n in names}
        laid = boxes(node["chapters"], node["heads"], titles, node["core"])
        picture = drawing(*laid, direct_needs(node["heads"]), links)
        node.replace_self(nodes.raw("", picture, format="html") if names else [])


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
        if stressed.astext() in settings.book().sides:
            stressed["classes"] += _classes(stressed.astext())
        elif stressed.astext() in settings.book().people:
            stressed["classes"] += ["mb-person", f"mb-{stressed.astext().lower()}"]
    heads = [n for n in doctree.findall(nodes.container) if "mb-head" in n["classes"]]
    for place in [*doctree.findall(nodes.title), *heads]:
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
    pairs = {name: (colour, DARK_TWIN[colour]) for name, colour in settings.book().ideas.items()}
    words = "".join(f".mb-{name} {{ color: var(--idea-{name}); }}\n" for name in pairs)
    people = {name: (colour, DARK_TWIN[colour]) for name, colour in settings.book().people.items()}
    faces = "".join(
        f'.mb-{low}::before {{ content: "{low[0].upper()}" / ""; background: var(--face-{low}); }}\n'
        for low in map(str.lower, people)
    )
    dots = sheet("face", {name.lower(): pair for name, pair in people.items()}) if people else ""
    return sheet("idea", pairs) + words + dots + faces


def write_style(app: Any) -> None:
    """Write the colours of the ideas."""
    if app.builder.format == "html":
        path = Path(app.outdir) / "_static" / "ideas.css"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(style(), encoding="utf-8")


def register(app: Any) -> None:
    """Tell Sphinx of the directives and the styles."""
    app.add_node(_Map)
    app.add_directive("book-map", _MapDirective)
    app.add_directive("table-of-apps", _Apps)
    app.add_css_file("ideas.css")
