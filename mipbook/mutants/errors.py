"""Which errors are planted in a function that a check cell calls."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mipbook.mutants import values
from mipbook.mutants.chapter import Called
from mipbook.mutants.plant import Function, Lost, Watch, attribute, plain, recompiled

__all__ = ["BOUNDS", "Error", "errors_of", "own_error"]

# Proven bounds: the side on which a value is still true, and a value that says nothing.
# A number stands for infinity that still compares.
_ENDLESS = 1e300
BOUNDS: dict[str, tuple[str, float]] = {
    "Roc.advantage_band.low": ("too small", -1.0),
    "TracingAttack.tail_bound": ("too large", 1.0),
    "certify_epsilon": ("too small", 0.0),
    "delta_from_dp": ("too large", 1.0),
    "epsilon_lower_bound": ("too small", 0.0),
    "gaussian_delta_bound": ("too large", 1.0),
    "gaussian_epsilon_bound": ("too large", _ENDLESS),
    "mean_delta_bound": ("too large", 1.0),
    "near_gaussians_bound": ("too large", 1.0),
    "pinsker_bound": ("too small", 0.0),
    "security_from_dp": ("too small", 0.0),
    "success_bound": ("too large", 1.0),
}
_LOW, _HIGH = ("low", "lower"), ("high", "upper")
# What a reader would call an easy case; of n, the smallest that the cell takes.
_EASY = {"M": 2.0, "d": 1, "dimension": 1, "nu": 0.5, "lam": 0.5, "delta": 0.0, "n": None}

Make = Callable[[Function, Watch], Function]


@dataclass(frozen=True)
class Error:
    """One planted error: of which function, its name, and how it is made, weakest first."""

    called: Called
    name: str
    tries: tuple[tuple[str, Make], ...]


def _result(path: values.Path, change: Callable[[Any], Any]) -> Make:
    def make(true: Function, watch: Watch) -> Function:
        @functools.wraps(true)
        def altered(*args: Any, **kwargs: Any) -> Any:
            watch.over()
            value = true(*args, **kwargs)
            made = values.at(value, path, change)
            watch.changed = watch.changed or not values.same(value, made)
            return made

        return altered

    return make


def _arguments(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Make:
    def make(true: Function, watch: Watch) -> Function:
        signature = inspect.signature(true)

        @functools.wraps(true)
        def altered(*args: Any, **kwargs: Any) -> Any:
            watch.over()
            bound = signature.bind(*args, **kwargs)
            before = dict(bound.arguments)
            bound.arguments.update(change(before))
            if all(values.same(v, bound.arguments[k]) for k, v in before.items()):
                return true(*args, **kwargs)
            watch.changed = True
            try:
                return true(*bound.args, **bound.kwargs)
            except Exception as error:
                raise Lost(f"refused: {error}") from error

        return altered

    return make


def _scale(path: values.Path, factor: float) -> Make:
    return _result(path, lambda v: values.scaled(v, factor))


def _temper(path: values.Path, power: float) -> Make:
    return _result(path, lambda v: values.tempered(v, power))


def _said(path: values.Path, name: str) -> str:
    return " ".join([*(str(key) for key in path), name])


def _of_value(called: Called, sample: Any, path: values.Path) -> Iterator[Error]:
    seen = [values.part(sample, *path) if path else sample][0]
    where = ".".join([called.name, *map(str, path)])
    if values.is_flag(seen):
        yield Error(called, _said(path, "turned round"), (("", _result(path, values.turned)),))
        return
    if values.is_table(seen):
        for name, powers in (("sharper", (1.05, 2.0)), ("flatter", (0.95, 0.5))):
            tries = zip(("5%", "factor 2"), powers, strict=True)
            yield Error(called, _said(path, name), tuple((t, _temper(path, p)) for t, p in tries))
        return
    safe, vacuous = BOUNDS.get(where, ("", 0.0))
    if path and path[-1] in _LOW:
        safe, vacuous = BOUNDS.get(where, ("too small", 0.0))
    if path and path[-1] in _HIGH:
        safe = "too large"
        vacuous = 1.0 if np.max(seen) <= 1 else _ENDLESS
    for name, factors in (("too large", (1.05, 2.0)), ("too small", (0.95, 0.5))):
        if name != safe:
            tries = zip(("5%", "factor 2"), factors, strict=True)
            yield Error(called, _said(path, name), tuple((t, _scale(path, f)) for t, f in tries))
    if safe:
        change = functools.partial(np.full_like, fill_value=vacuous, dtype=float)
        empty = _result(path, lambda v: change(v) if isinstance(v, np.ndarray) else vacuous)
        yield Error(called, _said(path, "vacuous"), (("", empty),))


class _MeanForWorst(ast.NodeTransformer):
    """Writes ``mean`` for ``max`` and ``min``, which need an array or one argument."""

    def __init__(self) -> None:
        self.changed = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in ("max", "min", "amax", "amin"):
            self.changed = True
            called.attr = "mean"
        elif isinstance(called, ast.Name) and called.id in ("max", "min") and len(node.args) == 1:
            if isinstance(node.args[0], ast.GeneratorExp):
                node.args[0] = ast.ListComp(node.args[0].elt, node.args[0].generators)
            self.changed = True
            node.func = ast.parse("__import__('numpy').mean", mode="eval").body
            node.keywords = []
        return node


def _mean_for_worst(called: Called) -> Make:
    def make(true: Function, watch: Watch) -> Function:
        change = _MeanForWorst()
        wrong = recompiled(called, change)

        @functools.wraps(true)
        def altered(*args: Any, **kwargs: Any) -> Any:
            watch.over()
            value = true(*args, **kwargs)
            try:
                made = wrong(*args, **kwargs)
            except Exception as error:
                raise Lost(f"refused: {error}") from error
            watch.changed = watch.changed or not values.same(value, made)
            return made

        return altered

    return make


def _swapped(called: Called) -> Iterator[Error]:
    names = [n for n in inspect.signature(plain(attribute(called)[2])).parameters if n != "self"]
    pairs = [(a[names[0]], a[names[1]]) for a in called.arguments if len(names) > 1]
    if pairs and all(np.shape(left) == np.shape(right) for left, right in _numbers(pairs)):
        first, second = names[:2]

        def change(given: dict[str, Any]) -> dict[str, Any]:
            if first in given and second in given:
                return {first: given[second], second: given[first]}
            return {}

        yield Error(called, f"{first} and {second} swapped", (("", _arguments(change)),))


def _numbers(pairs: list[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    for left, right in pairs:
        numbers = values.is_number(left) and values.is_number(right)
        yield (left, right) if numbers else (0, [0])


def _easy(called: Called) -> Iterator[Error]:
    for name, usual in _EASY.items():
        seen = [a[name] for a in called.arguments if name in a]
        if not seen or not all(values.is_number(np.asarray(v)) for v in seen):
            continue
        easy = min(np.min(v) for v in seen) if usual is None else usual

        def change(given: dict[str, Any], name: str = name, easy: Any = easy) -> dict[str, Any]:
            if name not in given:
                return {}
            shape = np.shape(given[name])
            return {name: np.full(shape, easy) if shape else easy}

        yield Error(called, f"{name} ignored", (("", _arguments(change)),))


def errors_of(called: Called, words: set[str]) -> list[Error]:
    """Return the errors to plant in a function.

    Parameters
    ----------
    called : Called
        The function with what it took and gave in the true run of a cell.
    words : set of str
        The words of the cell's source; of a result with named fields only those count that
        the cell speaks of.

    Returns
    -------
    list of Error
    """
    found: list[Error] = []
    if called.results:
        sample = called.results[0]
        while isinstance(sample, list) and sample:
            sample = sample[0]
        for path in values.leaves(sample, words):
            found += _of_value(called, sample, path)
    change = _MeanForWorst()
    recompiled(called, change)
    if change.changed:
        found.append(Error(called, "mean for worst", (("", _mean_for_worst(called)),)))
    found += _swapped(called)
    found += _easy(called)
    return found


def own_error(called: Called, name: str, wrong: Function) -> Error:
    """Return an error that a cell plants by itself."""

    def make(true: Function, watch: Watch) -> Function:
        @functools.wraps(true)
        def altered(*args: Any, **kwargs: Any) -> Any:
            watch.over()
            watch.changed = True
            return wrong(*args, **kwargs)

        return altered

    return Error(called, name, (("", make),))
