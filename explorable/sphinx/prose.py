"""Words in the text that move a panel, and blocks that a guess veils.

``{set}`` makes a button of words: ``{set}`sigma=3; n=20 | set the noise to 3```, with the panel's
name in front where it is not the nearest one: ``{set}`clouds: sigma=3 | more noise```. A block
``veiled`` is covered until a guess of the page is made. The build fails where the panel, the
control, the stop or the guess does not exist.
"""

from __future__ import annotations

import html
import json
import math
import re
from typing import Any

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

__all__ = ["Mistake", "connect", "parse", "stop", "values"]

_logger = logging.getLogger(__name__)
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
    for value in stops:
        try:
            same = not isinstance(value, bool | str) and math.isclose(value, float(text))
        except ValueError:
            same = False
        if same or text == str(value):
            return value
    raise Mistake(f"{control['name']}={text}: the stops are {', '.join(labels)}")


def values(spec: dict[str, Any], wanted: dict[str, str]) -> dict[str, Any]:
    """Return the values by control that a panel is moved to."""
    controls = {control["name"]: control for control in spec["controls"]}
    for name in wanted:
        if name not in controls:
            raise Mistake(f"{name}: the controls of {spec['id']} are {', '.join(controls)}")
    return {name: stop(controls[name], text) for name, text in wanted.items()}


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


def _specs(node: nodes.raw, mark: str) -> list[dict[str, Any]]:
    """Read what an output of a cell tells the page's script, if it is of this kind."""
    text = node.astext()
    return [json.loads(found) for found in _SPEC.findall(text)] if mark in text else []


def _bind(node: Words, above: list[dict[str, Any]], below: list[dict[str, Any]]) -> None:
    """Write into the node which panel it moves where to."""
    if node["panel"]:
        found = [spec for spec in above + below if spec["id"] == node["panel"]]
        if not found:
            known = ", ".join(spec["id"] for spec in above + below)
            raise Mistake(f"{node['panel']}: the panels of the page are {known}")
    else:
        near = above[-1:] + below[:1]
        has = [s for s in near if {c["name"] for c in s["controls"]} >= set(node["wanted"])]
        found = has or near
        if not found:
            raise Mistake(f"{node.astext()}: the page has no panel")
    node["values"], node["panel"] = values(found[0], node["wanted"]), found[0]["id"]


def _resolve(app: Any, doctree: nodes.document) -> None:
    """Bind the words of a page that has just been read; check its guesses."""
    if app.config.mipbook_pages and app.env.docname not in app.config.mipbook_pages:
        return  # read for its title alone, so that its cells were not executed
    raws = list(doctree.findall(nodes.raw))
    order = {id(node): place for place, node in enumerate(doctree.findall())}
    panels = [(order[id(r)], s) for r in raws for s in _specs(r, "mb-explorable")]
    asked = [spec for r in raws for spec in _specs(r, "mb-asked")]
    guesses = {spec["name"] for spec in asked if spec["role"] == "guess"}
    for words in doctree.findall(Words):
        place = order[id(words)]
        above = [spec for at, spec in panels if at < place]
        below = [spec for at, spec in panels if at > place]
        try:
            _bind(words, above, below)
        except Mistake as mistake:
            _logger.warning("set: %s", mistake, location=words)
    for veiled in doctree.findall(Veiled):
        if veiled["guess"] not in guesses:
            _logger.warning("veiled: no guess %r on the page", veiled["guess"], location=veiled)
    ids = [spec["id"] for _, spec in panels] + [spec["name"] for spec in asked]
    for name in sorted({name for name in ids if ids.count(name) > 1}):
        _logger.warning("the page has two of the name %r", name, location=doctree)
    for spec in asked:
        for name in set(spec.get("panels", ())) - {spec["id"] for _, spec in panels}:
            _logger.warning("%s veils no panel %r", spec["name"], name, location=doctree)


def _visit_words(writer: Any, node: Words) -> None:
    told = html.escape(json.dumps(node.get("values", {})), quote=True)
    writer.body.append(f'<span class="mb-set" data-panel="{node["panel"]}" data-values="{told}">')


def _visit_veiled(writer: Any, node: Veiled) -> None:
    writer.body.append(f'<div class="mb-veiled" data-guess="{html.escape(node["guess"])}">')


def _nothing(writer: Any, node: nodes.Node) -> None:
    """Let the words stand as they are."""


def connect(app: Any) -> None:
    """Register the role and the block."""
    plain = (_nothing, _nothing)
    others = dict.fromkeys(("latex", "text", "man", "texinfo"), plain)
    app.add_node(Words, html=(_visit_words, lambda w, _: w.body.append("</span>")), **others)
    app.add_node(Veiled, html=(_visit_veiled, lambda w, _: w.body.append("</div>")), **others)
    app.add_role("set", _Set())
    app.add_directive("veiled", _Veil)
    # Behind MyST-NB, which puts the outputs of the cells into the page.
    app.connect("doctree-read", _resolve, priority=900)
