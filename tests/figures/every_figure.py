"""What every figure must do, found out from its controls; each check returns what is wrong."""

import importlib
import inspect
import json
import math
import pkgutil
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from operator import methodcaller
from typing import Any
from zlib import crc32

import numpy as np
import plotly.graph_objects as go
import pytest
from again import words_of
from panels import panels

import mipbook.figures
from explorable.palette import DARK_TWIN
from explorable.panels import Choice, Explorable, File, Rounds, Switch
from explorable.panels.controls import Control, declared_controls
from explorable.panels.protocol import Part, recorded
from explorable.panels.static import PLOTLY
from mipbook.figures.kit import Clause, Value

TAG = re.compile(r"\b(exact|bounds?|estimates?|approximations?)\b")
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl)a?\([^)]*\)")
# What may add or take away a trace; a slider only moves them.
PICKS = (Choice, File, Rounds, Switch)

State = tuple[dict[str, Any], go.Figure]
plain = methodcaller("tolist")


def key_of(values: dict[str, Any]) -> str:
    return repr(sorted(values.items()))


@dataclass
class Subject:
    """A public figure function and the panels that show it; what was drawn of it is kept."""

    function: Callable[..., go.Figure]
    panels: tuple[Explorable, ...] = ()
    drawn: dict[str, State | None] = field(default_factory=dict)
    parts: dict[str, list[tuple[str, Part]]] = field(default_factory=dict)

    @property
    def controls(self) -> dict[str, Control]:
        return declared_controls(self.function)

    @property
    def start(self) -> dict[str, Any]:
        return {name: control.value for name, control in self.controls.items()}

    @property
    def may_refuse(self) -> bool:
        """Whether a panel may refuse a state; that it does so rightly, others test."""
        return any(panel.may_refuse for panel in self.panels)

    def shown(self) -> tuple[Explorable, ...]:
        """Return all panels, and what is declared."""
        return Explorable(self.function, may_refuse=self.may_refuse), *self.panels

    def states(self, *panels: Explorable, more: int = 0) -> list[State]:
        """Draw the corners of panels, or of all, and some other states, each once."""
        draw, found = random.Random(0), {}
        for panel in panels or self.shown():
            others = [{name: draw.choice(c.stops) for name, c in panel.controls.items()} for _ in range(more)]
            for values in [*corners(panel), *others]:
                found[key_of(values)] = self.state(values)
        return [state for state in found.values() if state]

    def state(self, values: dict[str, Any]) -> State | None:
        """Draw a state, which may be refused."""
        key = key_of(values)
        if key not in self.drawn:
            try:
                self.drawn[key] = values, self.function(**values)
            except ValueError:
                if not self.may_refuse:
                    raise
                self.drawn[key] = None
        return self.drawn[key]

    def layers(self, values: dict[str, Any]) -> list[tuple[str, Part]]:
        """Return the layers of a state, each with its function's name; of a figure in one piece that."""
        key = key_of(self.start | values)
        if key not in self.parts:
            with recorded() as layers:
                self.function(**values)
            if not layers and isinstance(whole := inspect.unwrap(self.function)(**values), Part):
                self.parts[key] = [(self.function.__name__, whole)]
            else:
                self.parts[key] = [(layer.function.__name__, layer.part()) for layer in layers]
        return self.parts[key]


def subject(name: str) -> Subject:
    """Return a public figure function by its dotted name."""
    every = (panel for found in panels().values() for panel in found)
    return Subject(functions()[name], tuple(p for p in every if p.function is functions()[name]))


@cache
def functions() -> dict[str, Callable[..., go.Figure]]:
    """Return what the packages of figures export that returns a figure, by dotted name."""
    found = {}
    for package in pkgutil.walk_packages(mipbook.figures.__path__, "mipbook.figures."):
        module = importlib.import_module(package.name)
        for name in getattr(module, "__all__", ()) if package.ispkg else ():
            public = getattr(module, name)
            if inspect.isfunction(public):
                returned = str(inspect.signature(public).return_annotation)
                if returned.endswith("go.Figure"):
                    found[f"{package.name}.{name}".removeprefix("mipbook.figures.")] = public
    return found


def each() -> list[Any]:
    """Return the figures as parameters: by day a third, by their names, and those that changed."""
    marks = {name: () if crc32(name.encode()) % 3 == 0 else pytest.mark.nightly for name in functions()}
    return [pytest.param(name, marks=marks[name]) for name in sorted(functions())]


def corners(panel: Explorable) -> Iterator[dict[str, Any]]:
    """Yield the start, the middle, and the ends of all controls: together, if they are few."""
    stops = {name: control.stops for name, control in panel.controls.items()}
    yield panel.values
    yield {name: s[len(s) // 2] for name, s in stops.items()}
    if len(stops) <= 3:
        for ends in product(*((s[0], s[-1]) for s in stops.values())):
            yield dict(zip(stops, ends, strict=True))
        return
    for end in (0, -1):
        yield {name: s[end] for name, s in stops.items()}
        for name, s in stops.items():
            yield {**panel.values, name: s[end]}


# --- One state ----------------------------------------------------------------------------------


def wrong_words(figure: go.Figure) -> Iterator[str]:
    """Yield what is wrong with what a figure says."""
    meta = figure.layout.meta or {}
    texts = {key: meta.get(key, "") for key in ("sentence", "alt", "reveal", "headline")}
    for key, text in texts.items():
        if len(text) <= {"sentence": 40, "alt": 60}.get(key, -1):
            yield f"{key}: too short: {text!r}"
        if re.search(r"\bnan\b|\binf\b|None|\{\w*\}", text):
            yield f"{key}: a hole: {text}"
    if not TAG.search(f"{texts['sentence']} {texts['reveal']}"):
        yield f"no number is tagged exact, bound, estimate or approximation: {texts}"


@cache
def drawn_by_the_script() -> set[str]:
    """Return the kinds of traces that the pages' script draws; the rest it takes for lines."""
    kind = re.compile(rb'moduleType:"trace",name:"(\w+)"')
    return {found.decode() for found in kind.findall(PLOTLY.read_bytes())}


def wrong_traces(figure: go.Figure) -> Iterator[str]:
    """Yield what is wrong with what a figure draws."""
    names = [trace.name for trace in figure.data]
    if not all(names) or len(set(names)) < len(names):
        yield f"traces need names, each another, for a saved table: {names}"
    for trace in figure.data:
        if trace.type not in drawn_by_the_script():
            yield f"{trace.name!r}: the script of the pages draws no {trace.type}"
        try:
            json.dumps(trace.to_plotly_json(), default=plain, allow_nan=False)
        except ValueError:
            yield f"a number of {trace.name!r} is not finite"
    try:
        go.Figure(figure.to_dict())
    except ValueError as error:
        yield f"plotly does not take it: {str(error)[:300]}"


def colours(tree: Any, key: str = "") -> Iterator[str]:
    """Yield the colours of a figure's tree, also those that a word names."""
    if isinstance(tree, dict | list | tuple):
        parts = tree.items() if isinstance(tree, dict) else [(key, part) for part in tree]
        for name, part in parts:
            yield from colours(part, name) if name != "template" else ()
    elif isinstance(tree, str):
        yield from [tree] if key.endswith("color") else COLOUR.findall(tree)


def without_dark_twin(figure: go.Figure) -> Iterator[str]:
    """Yield the colours that a dark page cannot change."""
    tree = json.loads(json.dumps(figure.to_dict(), default=plain))
    for colour in sorted(set(colours(tree)) - set(DARK_TWIN) - {"rgba(0,0,0,0)"}):
        yield f"{colour} has no dark twin in explorable/palette.py"


def alike_but_for_colour(figure: go.Figure) -> Iterator[str]:
    """Yield the traces of the legend that only a colour tells from one before in the same picture."""
    seen: dict[str, list[tuple[str, Any, Any]]] = {}
    keys = ("line.dash", "line.width", "marker.symbol", "marker.pattern.shape", "fill", "fillpattern.shape")
    for trace in figure.data:
        if trace.showlegend is False:
            continue
        tree = trace.to_plotly_json()
        look = [trace.type, trace.mode if trace.type == "scatter" else None]
        look += [part_of(tree, key) for key in keys]
        colour = str([part_of(tree, f"{part}.color") for part in ("line", "marker")])
        picture = (tree.get("xaxis"), tree.get("yaxis"))
        others = seen.setdefault(str(look), [])
        for name, other_colour, other_picture in others:
            if picture == other_picture or colour != other_colour:
                yield f"{trace.name!r} is told from {name!r} by its colour only"
        others.append((trace.name, colour, picture))


def part_of(tree: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        tree = tree.get(part) if isinstance(tree, dict) else None
    return tree


def wrong(figure: go.Figure) -> list[str]:
    """Return all that is wrong with one state of a figure."""
    checks = (wrong_words, wrong_traces, without_dark_twin, alike_but_for_colour)
    return [line for check in checks for line in check(figure)]


# --- All states ---------------------------------------------------------------------------------


def unsteady(subject: Subject, states: list[State]) -> Iterator[str]:
    """Yield where a slider changes which traces there are, but for a tag or a number in their names."""
    picks = [name for name, c in subject.controls.items() if isinstance(c, PICKS)]
    seen: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for values, figure in states:
        names = [re.sub(TAG, "", re.sub(r"[\d.,]+", "", t.name or "")) for t in figure.data]
        key = repr([values.get(name) for name in picks])
        others, first = seen.setdefault(key, (values, names))
        if names != first:
            yield f"{values} draws {names}, {others} draws {first}"


def idle(subject: Subject, states: list[State]) -> Iterator[str]:
    """Yield the controls that change nothing, though some states differ in them alone."""
    for control in {name for values, _ in states for name in values}:
        drawn: dict[str, list[str]] = {}
        for values, figure in states:
            others = key_of({name: value for name, value in values.items() if name != control})
            drawn.setdefault(others, []).append(json.dumps(figure.to_dict(), default=plain))
        pairs = [seen for seen in drawn.values() if len(seen) > 1]
        if pairs and all(len(set(seen)) == 1 for seen in pairs):
            yield f"{control} changes nothing"


NUMBER = re.compile(r"\d[\d.,]*(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")


def typed_numbers(subject: Subject, states: list[State]) -> Iterator[str]:
    """Yield the numbers that a state changes and that stand in a template, not in a named value."""
    seen: dict[tuple[str, ...], str] = {}
    for values, _ in states:
        for layer, part in subject.layers(values):
            texts = [(key, part.meta[key]) for key in ("headline", "sentence", "alt") if key in part.meta]
            words = [(name, word) for name, word in words_of(part) if not isinstance(word, Value)]
            texts += [(name, word.template if isinstance(word, Clause) else word) for name, word in words]
            for name, text in texts:
                first = seen.setdefault((layer, name, NUMBER.sub("#", text)), text)
                if first != text:
                    yield f"{layer}, {name}: {first!r} and {text!r} differ in numbers that have no name"


def told_differently(subject: Subject, states: list[State]) -> Iterator[str]:
    """Yield the named values whose number, told again, is another text."""
    for values, _ in states:
        for layer, part in subject.layers(values):
            for name, word in words_of(part):
                if isinstance(word, Value) and (again := word.how(word.value)) != word:
                    yield f"{layer}, {name}: {word!r} is told {again!r} again"


CHECKS = (unsteady, idle, typed_numbers, told_differently)

RUNS_OUT = {
    # Few are far out, and the axis is for the many.
    *("many_rounds", "guess_round", "audit_lab", "choose_lab", "choose_name", "half_sample"),
    # It goes on for ever, and its end is not the point.
    *("dp_security", "noise_lab", "short_ruler", "tracing_law", "whose_coin"),
}


def _spots(trace: Any, side: str, log: bool) -> np.ndarray:
    """Return where a trace's points stand along an axis; of words nothing."""
    try:
        values = np.array([math.nan if v is None else v for v in trace[side]], dtype=float)
    except (TypeError, ValueError):
        return np.empty(0)
    if trace.type == "bar" and side == ("x" if trace.orientation == "h" else "y"):
        base = np.atleast_1d(np.asarray(0 if trace.base is None else trace.base, dtype=float))
        values = np.concatenate([values + base, base])
    return np.log10(values[values > 0]) if log else values[np.isfinite(values)]


def cut_short(figure: go.Figure) -> Iterator[str]:
    """Yield what an axis cuts off, but for what goes to 0 below a logarithmic one."""
    layout = figure.layout.to_plotly_json()
    for trace in figure.data:
        for side in ("x", "y"):
            if f"{side}axis" not in trace or trace.visible is False:
                continue
            axis = layout.get(f"{side}axis{(trace[f'{side}axis'] or side)[1:]}", {})
            log = axis.get("type") == "log"
            spots = _spots(trace, side, log)
            if axis.get("range") is None or not len(spots):
                continue
            low, high = sorted(map(float, axis["range"]))
            more = 0.03 * (high - low)  # half a mark
            if spots.max() > high + more or (spots.min() < low - more and not log):
                yield f"{trace.name!r}: {side} ends at {low:g} and {high:g}"
