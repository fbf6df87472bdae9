"""What a page says of itself, words in its text that move a panel, and formulas.

The head of a chapter, ``{chapter-head}``, has its goal, its minutes, what it needs and which
neighbours it speaks of.

``{set}`` makes a button of words: ``{set}`sigma=3; n=20 | set the noise to 3```, with the panel's
name in front where it is not the nearest one: ``{set}`clouds: sigma=3 | more noise```. A block
``veiled`` is covered until a guess of the page is made, or its game played. The build fails where
the panel, the control, the stop or the guess does not exist.

Formulas are set while the book is built, so that a reader's machine has nothing to set.  KaTeX writes
each as HTML, with MathML inside for who listens.
"""

from __future__ import annotations

import functools
import html
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.addnodes import pending_xref
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinxcontrib import katex

from explorable import node as program
from explorable import settings, validate

_logger = logging.getLogger(__name__)
LONGEST_GOAL = 140
_BLOCK = re.compile(r"^(:{3,}|`{3,})\{chapter-head\}\s*\n(.*?)^\1\s*$", flags=re.M | re.S)
_OPTION = re.compile(r"^:(\w+):[ \t]*(.*?)[ \t]*$", flags=re.M)


@dataclass(frozen=True)
class Head:
    """What a chapter says of itself before it begins.

    Parameters
    ----------
    goal : str
        What the reader can do afterwards, in Markdown.
    minutes : int
        For reading and playing, without the exercises.
    needs : tuple of str
        The chapters that come before, such as ``"mip/definition"``.
    neighbours : str
        How the data sets differ that the chapter compares; empty where it compares none.
    """

    goal: str
    minutes: int
    needs: tuple[str, ...] = ()
    neighbours: str = ""

    @classmethod
    def of(cls, options: Mapping[str, str], root: Path) -> Head:
        """Return the head of a block's options; refuse what it may not say.

        Parameters
        ----------
        options : mapping
            The texts of ``goal``, ``minutes``, ``needs`` and ``neighbours``.
        root : pathlib.Path
            The repository's folder, which has the chapters.
        """
        goal, minutes = options.get("goal", ""), options.get("minutes", "")
        if not 0 < len(goal) <= LONGEST_GOAL:
            validate.refuse("goal", goal, f"a sentence of at most {LONGEST_GOAL} characters")
        if not re.fullmatch(r"[1-9]\d*", minutes):
            validate.refuse("minutes", minutes, "a whole number, such as 15")
        needs = tuple(filter(None, map(str.strip, options.get("needs", "").split(","))))
        for need in needs:
            part, _, name = need.partition("/")
            if part not in settings.book().parts or not (root / "book" / part / f"{name}.md").is_file():
                validate.refuse("needs", need, "a chapter, such as 'mip/definition'")
        return cls(goal, int(minutes), needs, options.get("neighbours", ""))


def read_head(text: str, root: Path) -> Head | None:
    r"""Return the head in the source of a page; None if it has none.

    Parameters
    ----------
    text : str
        MyST Markdown.
    root : pathlib.Path
        The repository's folder, which has the chapters.

    Examples
    --------
    >>> page = ":::{chapter-head}\n:goal: Count.\n:minutes: 5\n:::\n"
    >>> read_head(page, Path())
    Head(goal='Count.', minutes=5, needs=(), neighbours='')
    """
    found = _BLOCK.search(text)
    return Head.of(dict(_OPTION.findall(found[2])), root) if found else None


def chapter_heads(root: Path) -> dict[str, Head]:
    """Return the heads of all chapters that have one, by names such as ``mip/definition``.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    """
    found = {}
    for path in (p for part in settings.book().parts for p in sorted((root / "book" / part).glob("*.md"))):
        if head := read_head(path.read_text(encoding="utf-8"), root):
            found[f"{path.parent.name}/{path.stem}"] = head
    return found


def page_link(page: str, source: str) -> pending_xref:
    """Return a link from a page to another, under its own title."""
    target = {"refdomain": "std", "reftype": "doc", "reftarget": f"/{page}", "refdoc": source}
    return pending_xref("", nodes.inline(), refexplicit=False, refwarn=True, **target)


def table(heads: Mapping[str, int], rows: Iterable[Sequence[Sequence[nodes.Node]]]) -> nodes.table:
    """Return a table: its heads with the widths of their columns, and of each row the cells."""

    def row(cells: Iterable[Sequence[nodes.Node]]) -> nodes.row:
        return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *cell)) for cell in cells))

    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in heads.values()), cols=len(heads))
    group += nodes.thead("", row([nodes.Text(head)] for head in heads))
    group += nodes.tbody("", *map(row, rows))
    return nodes.table("", group)


class _HeadDirective(SphinxDirective):
    option_spec = dict.fromkeys(("goal", "minutes", "needs", "neighbours"), directives.unchanged)

    def run(self) -> list[nodes.Node]:
        try:
            head = Head.of(self.options, Path(self.env.app.confdir))
        except ValueError as mistake:
            _logger.warning("chapter-head: %s", mistake, location=self.get_location())
            return []
        minutes = nodes.inline("", f"{head.minutes} minutes", classes=["mb-head-minutes"])
        second = nodes.paragraph("", "", minutes, classes=["mb-head-needs"])
        for i, need in enumerate(head.needs):
            second += [nodes.Text(", ")] if i else [nodes.Text(" "), _named("Needs"), nodes.Text(" ")]
            second += page_link(f"book/{need}", self.env.docname)
        made = [nodes.container("", self._line("Goal", head.goal), second, classes=["mb-head"])]
        if head.neighbours:
            line = self._line("Neighbours", head.neighbours)
            made.append(nodes.container("", line, classes=["mb-head", "mb-neighbours"]))
        return [*made]

    def _line(self, name: str, text: str) -> nodes.paragraph:
        words, messages = self.state.inline_text(text, self.lineno)
        named = [_named(name), nodes.Text(" "), *words, *messages]
        return nodes.paragraph("", "", *named, classes=[f"mb-head-{name.lower()}"])


def _named(text: str) -> nodes.inline:
    return nodes.inline("", text, classes=["mb-head-name"])


_SPEC = re.compile(r'class="mb-spec">(.*?)</script>', re.DOTALL)


class Mistake(ValueError):
    """What is wrong with words that are to move a panel."""


class Words(nodes.Inline, nodes.TextElement):
    """Words that move a panel, until all panels of the page are known."""


class Veiled(nodes.General, nodes.Element):
    """A block that a guess veils."""


def parse(text: str) -> tuple[str, dict[str, str], str]:
    """Return the panel (or nothing), the stops by control, and the words.

    Examples
    --------
    >>> parse("clouds: sigma=3; n=20 | more noise")
    ('clouds', {'sigma': '3', 'n': '20'}, 'more noise')
    """
    head, bar, words = (part.strip() for part in text.partition("|"))
    named = re.match(r"([A-Za-z][\w-]*)\s*:\s*", head)
    panel, moves = (named[1], head[named.end() :]) if named else ("", head)
    wanted = {}
    for move in moves.split(";"):
        control, equals, value = (part.strip() for part in move.partition("="))
        if not (bar and words and control and equals and value):
            raise Mistake(f"{text!r}: write it as 'control=stop; other=stop | words'")
        wanted[control] = value
    return panel, wanted, words


def stop(control: dict[str, Any], text: str) -> Any:
    """Return the stop of a control that a text names, by its label or by its value."""
    stops, labels = control["stops"], control["labels"]
    if text in labels:
        return stops[labels.index(text)]
    try:
        number = float(text)
    except ValueError:
        number = math.nan  # which is close to none
    for value in stops:
        if text == str(value) or (not isinstance(value, bool | str) and math.isclose(value, number)):
            return value
    raise Mistake(f"{control['name']}={text}: the stops are {', '.join(labels)}")


def values(spec: dict[str, Any], wanted: dict[str, str]) -> dict[str, Any]:
    """Return the values by control that a panel is moved to."""
    controls = {control["name"]: control for control in spec["controls"]}
    found = {}
    for name, text in wanted.items():
        if name not in controls:
            raise Mistake(f"{name}: the controls of {spec['id']} are {', '.join(controls)}")
        control = controls[name]
        along = control.get("along", {}).get(wanted.get(control.get("by", "")))
        if along:  # another control names its stops: the place of the value there
            labels = list(along["labels"])
            found[name] = labels.index(stop({**control, "stops": labels, "labels": labels}, text))
        else:
            found[name] = stop(control, text)
    return found


class _Set(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            panel, wanted, words = parse(self.text)
        except Mistake as mistake:
            _logger.warning("set: %s", mistake, location=self.get_location())
            return [nodes.Text(self.text)], []
        node = Words(words, words, panel=panel, wanted=wanted)
        self.set_source_info(node)
        return [node], []


class _Veil(SphinxDirective):
    has_content = True
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        node = Veiled(guess=(self.arguments or ["guess"])[0])
        self.set_source_info(node)
        node += self.parse_content_to_nodes()
        return [node]


def panel_specs(node: nodes.raw, mark: str) -> list[dict[str, Any]]:
    """Read what an output of a cell tells the page's script, if it is of this kind."""
    text = node.astext()
    return [json.loads(found) for found in _SPEC.findall(text)] if f'<section class="{mark}"' in text else []


def _bind(node: Words, above: list[dict[str, Any]], below: list[dict[str, Any]]) -> None:
    """Write into the node which panel it moves where to."""
    near, known = above[-1:] + below[:1], {spec["id"]: spec for spec in above + below}
    if not near:
        raise Mistake(f"{node.astext()}: the page has no panel")
    if node["panel"] and node["panel"] not in known:
        raise Mistake(f"{node['panel']}: the panels of the page are {', '.join(known)}")
    has = [s for s in near if {c["name"] for c in s["controls"]} >= set(node["wanted"])]
    found = [known[node["panel"]]] if node["panel"] else has or near
    node["values"], node["panel"] = values(found[0], node["wanted"]), found[0]["id"]


def bind_words(app: Any, doctree: nodes.document) -> None:
    """Bind the words of a page that has just been read; check its guesses."""
    if app.config.explorable_pages and app.env.docname not in app.config.explorable_pages:
        return  # read for its title alone, so that its cells were not executed
    raws = list(doctree.findall(nodes.raw))
    order = {id(node): place for place, node in enumerate(doctree.findall())}
    panels = [(order[id(r)], s) for r in raws for s in panel_specs(r, "mb-explorable")]
    asked = [spec for r in raws for spec in panel_specs(r, "mb-asked")]
    guesses = {spec["name"] for spec in asked if spec["role"] == "guess"}
    for words in doctree.findall(Words):
        place = order[id(words)]
        try:
            _bind(words, [s for at, s in panels if at < place], [s for at, s in panels if at > place])
        except Mistake as mistake:
            _logger.warning("set: %s", mistake, location=words)
    games = {spec["id"] for _, spec in panels if any(control.get("alone") for control in spec["controls"])}
    for veiled in doctree.findall(Veiled):
        if veiled["guess"] not in guesses | games:
            _logger.warning("veiled: no guess or game %r on the page", veiled["guess"], location=veiled)
    by_id = {spec["id"]: spec for _, spec in panels}
    counts = Counter([*(spec["id"] for _, spec in panels), *(spec["name"] for spec in asked)])
    for name in sorted(name for name, count in counts.items() if count > 1):
        _logger.warning("the page has two of the name %r", name, location=doctree)
    for spec in asked:
        named = spec.get("panels", ())
        for name in {*named} - {*by_id}:
            _logger.warning("%s asks about no panel %r", spec["name"], name, location=doctree)
        for panel in (by_id[name] for name in named[:1] if name in by_id):
            stops = {control["name"]: control["stops"] for control in panel["controls"]}
            for name, value in spec.get("state", {}).items():
                if value not in stops.get(name, ()):
                    _logger.warning("%s asks about no state of %s", spec["name"], name, location=doctree)
            for name, value in spec.get("then", {}).items():
                known = stops.get(name, ())
                near = isinstance(value, float) and any(isinstance(v, float | int) for v in known)
                if value not in known and not near:
                    _logger.warning("%s goes to no state of %s", spec["name"], name, location=doctree)


def _visit_words(writer: Any, node: Words) -> None:
    told = html.escape(json.dumps(node.get("values", {})), quote=True)
    writer.body.append(f'<span class="mb-set" data-panel="{node["panel"]}" data-values="{told}">')


def _visit_veiled(writer: Any, node: Veiled) -> None:
    writer.body.append(f'<div class="mb-veiled" data-guess="{html.escape(node["guess"])}">')


def html_node(app: Any, kind: Any, visit: Any, end: str) -> None:
    """Tell Sphinx how a node begins and ends in HTML."""
    app.add_node(kind, html=(visit, lambda writer, node: writer.body.append(end)))


# --- Formulas --------------------------------------------------------------------------------------

_PROGRAM = Path(__file__).with_name("formulas.cjs")


@functools.cache
def formula(latex: str, display: bool = False) -> str:
    r"""Return a formula as HTML.

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> "<mi>ε</mi>" in formula(r"\varepsilon")
    True
    """
    if not display:  # a narrow screen has no room for some, and KaTeX breaks no line at a comma
        latex = latex.replace(r",\,", r",\allowbreak\,")
    katex_file = Path(katex.__file__).with_name("katex.min.js")
    try:
        return str(program.ask([latex, display], str(_PROGRAM), str(katex_file))["html"])
    except ValueError as error:
        raise ValueError(f"{latex}: {error}") from None


def _html(node: nodes.Element) -> str:
    return str(node.get("html") or formula(node.astext().strip(), isinstance(node, nodes.math_block)))


def set_formulas(app: Any, document: nodes.document) -> None:
    """Set the formulas of a page that was read."""
    for node in document.findall(lambda n: isinstance(n, nodes.math | nodes.math_block)):
        try:
            node["html"] = _html(node)
        except ValueError as error:
            _logger.warning("formula: %s", error, location=node)


def _inline(writer: Any, node: nodes.Element) -> None:
    writer.body.append(writer.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    writer.body.append(f"{_html(node)}</span>")
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.Element) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node["number"]:
        writer.body.append(f'<span class="eqno">({katex.get_node_equation_number(writer, node)})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append(f"{_html(node)}</div>\n")
    raise nodes.SkipNode


def register(app: Any) -> None:
    """Tell Sphinx of the head, the role, the block and how formulas are written."""
    app.add_directive("chapter-head", _HeadDirective)
    app.add_role("set", _Set())
    app.add_directive("veiled", _Veil)
    html_node(app, Words, _visit_words, "</span>")
    html_node(app, Veiled, _visit_veiled, "</div>")
    # The option ``html_math_renderer`` chooses it.
    app.add_html_math_renderer("set", inline_renderers=(_inline, None), block_renderers=(_block, None))
    app.add_css_file("vendor/fonts/katex/katex.css")
