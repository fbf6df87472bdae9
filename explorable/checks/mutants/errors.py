"""Which errors are planted in a function that a check cell calls."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorable.checks.mutants import values
from explorable.checks.mutants.bounds import bound_of, harms
from explorable.checks.mutants.chapter import Called
from explorable.checks.mutants.plant import Function, Lost, Watch, attribute, plain
from explorable.checks.mutants.source import altered_code

__all__ = ["Error", "Make", "errors_of", "own_error"]

# What a reader would call an easy case; of n, the smallest that the cell takes.
_EASY = {"M": 2.0, "d": 1, "dimension": 1, "nu": 0.5, "lam": 0.5, "delta": 0.0, "n": None}

Make = Callable[[Function, Watch], Function]


@dataclass(frozen=True)
class Error:
    """One planted error: of which function, its name, and how it is made, weakest first."""

    called: Called
    name: str
    tries: tuple[tuple[str, Make], ...]


def _result(change: Callable[[Any], Any]) -> Make:
    """Change what the function gives."""

    def make(true: Function, watch: Watch) -> Function:
        @functools.wraps(true)
        def altered(*args: Any, **kwargs: Any) -> Any:
            value = true(*args, **kwargs)
            made = change(value)
            watch.changed = watch.changed or not values.same(value, made)
            return made

        return altered

    return make


def _other(
    called: Called, paths: list[values.Path], wrong: Callable[[Function], Function], ran: Sequence[int] = ()
) -> Make:
    """Put another function there; it counts where it differs, of a bound unsafely.

    It counts, too, where it has ``ran`` and makes no difference at all.
    """
    exact = not any(bound_of(called.name, path) for path in paths)

    def make(true: Function, watch: Watch) -> Function:
        other = wrong(true)

        @functools.wraps(true)
        def altered(*args: Any, **kwargs: Any) -> Any:
            # Both draw the same numbers.
            named = {name: _unspent(v) for name, v in kwargs.items()}
            value = true(*map(_unspent, args), **named)
            try:
                made = other(*args, **kwargs)
            except Exception as error:
                raise Lost(f"refused: {error}") from error
            differs = harms(called.name, paths, value, made) or (exact and bool(ran))
            watch.changed = watch.changed or differs
            return made

        return altered

    return make


def _unspent(value: Any) -> Any:
    """Return a copy of a generator, so that the original has its numbers still to come."""
    return copy.deepcopy(value) if isinstance(value, np.random.Generator) else value


def _put(wrong: Function, true: Function) -> Function:
    return wrong


def _arguments(
    called: Called, paths: list[values.Path], change: Callable[[dict[str, Any]], dict[str, Any]]
) -> Make:
    """Change what the function takes."""

    def wrong(true: Function) -> Function:
        signature = inspect.signature(true)

        def other(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.arguments.update(change(dict(bound.arguments)))
            return true(*bound.args, **bound.kwargs)

        return other

    return _other(called, paths, wrong)


def _graded(called: Called, path: values.Path, name: str, change: Any, sizes: Any) -> Error:
    def at(size: float) -> Make:
        return _result(lambda value: values.at(value, path, lambda v: change(v, size)))

    tries = zip(("5%", "factor 2"), sizes, strict=True)
    return Error(called, _said(path, name), tuple((told, at(size)) for told, size in tries))


def _said(path: values.Path, name: str) -> str:
    return " ".join([*(str(key) for key in path), name])


def _of_value(called: Called, sample: Any, path: values.Path) -> Iterator[Error]:
    seen = values.part(sample, *path) if path else sample
    if values.is_flag(seen):
        turn = _result(lambda value: values.at(value, path, values.turned))
        yield Error(called, _said(path, "turned round"), (("", turn),))
    elif values.is_table(seen):
        yield _graded(called, path, "sharper", values.tempered, (1.05, 2.0))
        yield _graded(called, path, "flatter", values.tempered, (0.95, 0.5))
    else:
        side = (bound_of(called.name, path) or ("", 0.0))[0]
        if side != "upper":
            yield _graded(called, path, "too large", values.scaled, (1.05, 2.0))
        if side != "lower":
            yield _graded(called, path, "too small", values.scaled, (0.95, 0.5))


def _vacuous(called: Called, paths: list[values.Path]) -> Iterator[Error]:
    bounds = [(path, bound) for path in paths if (bound := bound_of(called.name, path))]

    def change(value: Any) -> Any:
        for path, (_, nothing) in bounds:
            value = values.at(value, path, functools.partial(values.all_equal, to=nothing))
        return value

    if bounds:
        yield Error(called, "vacuous", (("", _result(change)),))


def _swapped(called: Called, paths: list[values.Path]) -> Iterator[Error]:
    names = [n for n in inspect.signature(plain(attribute(called)[2])).parameters if n != "self"]
    pairs = [[a[n] for n in names[:2]] for a in called.arguments]
    alike = (all(map(values.is_number, p)) and np.shape(p[0]) == np.shape(p[1]) for p in pairs)
    if len(names) > 1 and all(alike):
        first, second = names[:2]

        def change(given: dict[str, Any]) -> dict[str, Any]:
            both = first in given and second in given
            return {first: given[second], second: given[first]} if both else {}

        yield Error(called, f"{first} and {second} swapped", (("", _arguments(called, paths, change)),))


def _easy(called: Called, paths: list[values.Path]) -> Iterator[Error]:
    for name, usual in _EASY.items():
        seen = [np.asarray(a[name]) for a in called.arguments if name in a]
        if not seen or not all(map(values.is_number, seen)):
            continue
        easy = min(v.min() for v in seen) if usual is None else usual

        def change(given: dict[str, Any], name: str = name, easy: Any = easy) -> dict[str, Any]:
            return {name: values.all_equal(given[name], easy)} if name in given else {}

        yield Error(called, f"{name} ignored", (("", _arguments(called, paths, change)),))


def errors_of(called: Called, spoken: set[str]) -> list[Error]:
    """Return the errors to plant in a function.

    Parameters
    ----------
    called : Called
        The function with what it took and gave in the true run of a cell.
    spoken : set of str
        The names of fields that the cell reads; only those of a result count.

    Returns
    -------
    list of Error
    """
    sample: Any = called.results[0] if called.results else None
    while isinstance(sample, list) and sample:
        sample = sample[0]
    paths = values.leaves(sample, spoken)
    found = [error for path in paths for error in _of_value(called, sample, path)]
    found += _vacuous(called, paths)
    for name, wrong, ran in altered_code(called):
        make = _other(called, paths, functools.partial(_put, wrong), ran)
        found.append(Error(called, name, (("", make),)))
    return [*found, *_swapped(called, paths), *_easy(called, paths)]


def own_error(called: Called, name: str, wrong: Function) -> Error:
    """Return an error that a cell plants by itself."""

    def make(true: Function, watch: Watch) -> Function:
        @functools.wraps(true)
        def altered(*args: Any, **kwargs: Any) -> Any:
            watch.changed = True
            return wrong(true, *args, **kwargs)

        return altered

    return Error(called, name, (("", make),))
