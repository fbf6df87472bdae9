"""Each named value of a figure, computed again by another way: from what it draws, or by the package.

A table, such as `again_game`, has a function for each figure.  It takes the state and those of the
figure's controls that its parameters name, and returns what each value must be, by its name, or by
the clause's and its own, ``verdict.spent``.  A number stands for an exact value; `most`, `least`,
`about` and `approximate` say that it is of another kind.  What is told of a control under the
control's name needs no entry.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from explorable.panels.protocol import Part
from explorable.panels.signature import declared_controls
from mipbook.figures.kit import Clause, Value

AGAIN: dict[str, Callable[..., dict[str, Any]]] = {}
KINDS = ("exact", "at most", "at least", "about", "approximate")


@dataclass(frozen=True)
class Must:
    """What a value must be: its number, its kind, and how near the other way comes."""

    value: Any
    kind: str = "exact"
    within: float = 1e-6

    def be(self, told: Value) -> bool:
        """Whether a value is it."""
        same = math.isclose(told.value, self.value, rel_tol=self.within, abs_tol=self.within * 1e-3)
        return told.kind == self.kind and same


exact, most, least, about, approximate = (partial(Must, kind=kind) for kind in KINDS)


@dataclass(frozen=True)
class Shown:
    """One state of a figure: its controls and the layers that it is made of."""

    controls: Mapping[str, Any]
    layers: tuple[tuple[str, Part], ...]

    @cached_property
    def told(self) -> dict[str, Value]:
        """All named values, by the names of their clauses and their own."""
        return {name: word for _, part in self.layers for name, word in values_of(part)}

    def trace(self, name: str) -> dict[str, Any]:
        """Return the trace of this name."""
        return next(t for _, part in self.layers for t in part.traces if t["name"] == name)

    def x(self, name: str) -> np.ndarray:
        """Return where the points of a trace are."""
        return np.asarray(self.trace(name)["x"], dtype=float)

    def y(self, name: str) -> np.ndarray:
        """Return how high the points of a trace are."""
        return np.asarray(self.trace(name)["y"], dtype=float)

    def at(self, name: str, x: float) -> float:
        """Return how high a curve is there, where it has a point."""
        found = np.flatnonzero(np.isclose(self.x(name), x, rtol=1e-9))
        return float(self.y(name)[found[0]])


def values_of(part: Part) -> Iterator[tuple[str, Value]]:
    """Yield the named values of a layer, also of its clauses and of what is told after a guess."""
    said = (word for word in part.meta.items() if isinstance(word[1], Clause))
    pending: list[tuple[str, Any]] = [*part.words.items(), *said]
    for name, word in pending:
        if isinstance(word, Clause):
            pending += ((f"{name}.{inner}", each) for inner, each in word.values.items())
        elif isinstance(word, Value):
            yield name, word


def of(name: str) -> Callable[[Callable[..., dict[str, Any]]], Callable[..., dict[str, Any]]]:
    """Enter the function that computes a figure's values again."""

    def entered(function: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        AGAIN[name] = function
        return function

    return entered


def must(name: str, shown: Shown) -> dict[str, Must]:
    """Return what each value that a state tells must be."""
    fed = {"s": shown, **shown.controls}
    function = AGAIN[name]
    found = function(**{each: fed[each] for each in inspect.signature(function).parameters})
    found = {**shown.controls, **found}
    entries = {}
    for path in shown.told:
        entry = next((found[key] for key in (path, path.rpartition(".")[2]) if key in found), None)
        if entry is not None:
            entries[path] = entry if isinstance(entry, Must) else Must(entry)
    return entries


def wrong(told: Mapping[str, Value], entries: Mapping[str, Must]) -> list[str]:
    """Return the values that are not what they must be."""
    return [
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


def controls_of(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of all controls."""
    return {name: values.get(name, control.value) for name, control in declared_controls(function).items()}
