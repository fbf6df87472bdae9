"""Each named value of a figure, computed again by another way: from what it draws, or by the package.

A table, such as `again_game`, has a function of each figure's name.  It takes the state, ``s``, and
those of the figure's controls that its parameters name, and returns what each value must be, by its
name, or by the clause's and its own, ``verdict.spent``.  A number stands for an exact value; `most`,
`least` and `about` say that it is of another kind; a string is what a text must hold.
What is told of a control under the control's name needs no entry.  ``table`` has the numbers of each
row of the table, by what the row is called, and ``points`` those that are told at a trace's points.
"""

import importlib
import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from explorable.panels.protocol import Part
from mipbook.figures.kit import Clause, Value

KINDS = ("exact", "at most", "at least", "about")


@dataclass(frozen=True)
class Must:
    """What a value must be: its number, its kind, and how near the other way comes."""

    value: Any
    kind: str = "exact"
    within: float = 1e-6

    def be(self, told: Value) -> bool:
        same = math.isclose(told.value, self.value, rel_tol=self.within, abs_tol=self.within * 1e-3)
        return told.kind == self.kind and same


most, least, about = (partial(Must, kind=kind) for kind in KINDS[1:])


def every(kind: Callable[..., Must], /, **values: Any) -> dict[str, Must]:
    """Say that several values are of a kind."""
    return {name: kind(value) for name, value in values.items()}


@dataclass(frozen=True)
class Shown:
    """One state of a figure: its controls and the layers that it is made of."""

    controls: Mapping[str, Any]
    layers: tuple[tuple[str, Part], ...]

    @cached_property
    def words(self) -> dict[str, str]:
        """All words of the templates, by the names of their clauses and their own."""
        return {name: word for _, part in self.layers for name, word in words_of(part)}

    @cached_property
    def told(self) -> dict[str, Value]:
        return {name: word for name, word in self.words.items() if isinstance(word, Value)}

    @cached_property
    def traces(self) -> list[dict[str, Any]]:
        return [trace for _, part in self.layers for trace in part.traces]

    def trace(self, name: str) -> dict[str, Any]:
        return next(trace for trace in self.traces if trace["name"] == name)

    def xy(self, name: str) -> np.ndarray:
        """Return where the points of a trace are."""
        return np.array([self.x(name), self.y(name)])

    def x(self, name: str) -> np.ndarray:
        return np.asarray(self.trace(name)["x"], dtype=float)

    def y(self, name: str) -> np.ndarray:
        return np.asarray(self.trace(name)["y"], dtype=float)

    def at(self, name: str, x: float) -> float:
        """Return how high a curve is there, where it has a point."""
        return float(self.y(name)[np.isclose(self.x(name), x, rtol=1e-9)][0])


def _values(cells: Iterable[Any]) -> Iterator[Value]:
    """Yield the values of cells or points, also of their clauses."""
    for cell in cells:
        if isinstance(cell, Clause):
            yield from _values(cell.values.values())
        elif isinstance(cell, Value):
            yield cell


def words_of(part: Part) -> Iterator[tuple[str, str]]:
    """Yield the words of a layer, also of its clauses, of what is told after a guess, and its table's."""
    rows = [(f"table.{label}", cells) for label, *cells in part.meta.get("table", ())]
    for trace in part.traces:
        rows += [(f"points.{trace['name']}", trace.get(key, ())) for key in ("customdata", "text")]
    for name, cells in rows:
        yield from ((f"{name}.{i}", value) for i, value in enumerate(_values(cells)))
    pending = [*part.words.items(), *(word for word in part.meta.items() if isinstance(word[1], Clause))]
    for name, word in pending:
        yield name, word
        if isinstance(word, Clause):
            pending += ((f"{name}.{inner}", each) for inner, each in word.values.items())


def must(figure: Callable[..., Any], shown: Shown) -> dict[str, Must | str]:
    """Return what each value that a state tells must be, and what a text must hold."""
    part, fed = figure.__module__.split(".")[2], {"s": shown, **shown.controls}
    function = getattr(importlib.import_module(f"again_{part}"), figure.__name__)
    found = function(**{each: fed[each] for each in inspect.signature(function).parameters if each in fed})
    rows = {f"{key}.{name}": row for key in ("table", "points") for name, row in found.pop(key, {}).items()}
    found = {**shown.controls, **found}
    found |= {f"{name}.{i}": each for name, row in rows.items() for i, each in enumerate(row)}
    entries: dict[str, Must | str] = {}
    for path, word in shown.words.items():
        entry = found.get(path, found.get(path.rpartition(".")[2]))
        if isinstance(word, Value) and entry is not None:
            entries[path] = entry if isinstance(entry, Must) else Must(entry)
        elif isinstance(entry, str):
            entries[path] = entry
    return entries


def wrong(shown: Shown, told: Mapping[str, Value], entries: Mapping[str, Any]) -> list[str]:
    """Return the values that are not what they must be, and the texts that lack a word."""
    lacking = [
        f"{name}: {shown.words[name]!r} lacks {entry!r}"
        for name, entry in entries.items()
        if isinstance(entry, str) and entry not in shown.words[name]
    ]
    return lacking + [
        f"{name}: {value.value!r} ({value.kind}), must be {entries.get(name)}"
        for name, value in told.items()
        if name not in entries or not entries[name].be(value)
    ]


def planted(told: Mapping[str, Value]) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield the values with one mistake: a tenth more, or another kind."""
    for name, value in told.items():
        yield f"{name}: a tenth more", {**told, name: Value(1.1 * value.value or 0.1, value.kind, str)}
        for kind in set(KINDS) - {value.kind}:
            yield f"{name}: {kind}", {**told, name: Value(value.value, kind, str)}


# --- What the words around the numbers promise --------------------------------------------------

_TAG = re.compile(r"\((?:both |all )?(exact|bound|estimate)")
_TAGS = {"exact": KINDS[:3], "bound": KINDS[1:3], "estimate": KINDS[3:]}
_SIDED = re.compile(r"(at most|≤|at least|≥) ⟦([\w.]+)⟧")
_AGAINST = {"at most": "at least", "≤": "at least", "at least": "at most", "≥": "at most"}


def _filled(template: str, words: Mapping[str, Any], at: str = "") -> str:
    """Fill a template; a value is told by its name."""

    def told(field: re.Match[str]) -> str:
        word, name = words.get(field[1], field[0]), f"{at}{field[1]}"
        if isinstance(word, Clause):
            return _filled(word.template, word.values, f"{name}.")
        return f"⟦{name}⟧" if isinstance(word, Value) else word

    return re.sub(r"\{(\w+)\}", told, template)


def contradictions(shown: Shown) -> Iterator[str]:
    """Yield the tags and the *at most* that the kind of the value beside them contradicts."""
    words = {name: word for _, part in shown.layers for name, word in part.words.items()}
    kinds = {name: value.kind for name, value in shown.told.items()}
    for _, part in shown.layers:
        for text in (_filled(part.meta.get(key, ""), words) for key in ("headline", "sentence", "alt")):
            for side, name in _SIDED.findall(text):
                if kinds[name] == _AGAINST[side]:
                    yield f"{side} {{{name}}}, which is {kinds[name]}"
            # What stands between two tags belongs to the second; what is chosen or counted needs none.
            before, *tagged = _TAG.split(text)
            for tag, after in zip(tagged[::2], tagged[1::2], strict=True):
                names = set(re.findall(r"⟦([\w.]+)⟧", before)) - shown.controls.keys()
                names = {name for name in names if not isinstance(shown.told[name].value, int)}
                if names and not any(kinds[name] in _TAGS[tag] for name in names):
                    yield f"none of {', '.join(sorted(names))} is {tag}: {text}"
                before = after
