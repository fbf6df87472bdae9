"""Slow calls of a cell, remembered from its true run, so that planted runs need not repeat them."""

from __future__ import annotations

import copy
import functools
import hashlib
import pickle
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import joblib
import numpy as np

from mipbook.ledger.mutants.chapter import Called, Cell, fresh
from mipbook.ledger.mutants.plant import Function, attribute, plain, planted

__all__ = ["Replay"]

_SLOW = 1e-3  # seconds
# A planted run gets this many times the seconds of the true one, and some more.
_PATIENCE, _LEAST = 3.0, 1.0


class Replay:
    """What the slow calls of a cell gave in its true run.

    Attributes
    ----------
    seconds : float
        How long a planted run may take.
    """

    def __init__(self, cell: Cell, space: dict[str, Any], found: list[Called]) -> None:
        self._found = found
        self._values: dict[str, dict[str, Any]] = {}
        self._busy = False
        used, began = fresh(space), time.process_time()
        with ExitStack() as stack:
            for called in found:
                stack.enter_context(planted(called, self._noted(called), used))
            cell.run(used)
        self.seconds = _LEAST + _PATIENCE * (time.process_time() - began)

    def _noted(self, called: Called) -> Function:
        true = plain(attribute(called)[2])

        @functools.wraps(true)
        def noted(*args: Any, **kwargs: Any) -> Any:
            key = None if self._busy else _key(args, kwargs)
            if key is None:
                return true(*args, **kwargs)
            rngs = _generators(args, kwargs)
            children = [_children(rng) for rng in rngs]
            self._busy, began = True, time.perf_counter()
            try:
                value = true(*args, **kwargs)
            finally:
                self._busy = False
            if time.perf_counter() - began > _SLOW:
                later = [
                    (_children(rng) - before, rng.bit_generator.state)
                    for rng, before in zip(rngs, children, strict=True)
                ]
                self._values.setdefault(called.name, {})[key] = copy.deepcopy((value, later))
            return value

        return noted

    def recalled(self, called: Called) -> Function:
        """Return the function with its slow true calls remembered."""
        true, known = plain(attribute(called)[2]), self._values.get(called.name)
        if not known:
            return true

        @functools.wraps(true)
        def recalled(*args: Any, **kwargs: Any) -> Any:
            key = _key(args, kwargs)
            if key not in known:
                return true(*args, **kwargs)
            value, later = copy.deepcopy(known[key])
            for rng, (spawned, state) in zip(_generators(args, kwargs), later, strict=True):
                if spawned:
                    rng.spawn(spawned)
                rng.bit_generator.state = state
            return value

        return recalled

    @contextmanager
    def others(self, wrong: Called, space: dict[str, Any]) -> Iterator[None]:
        """Recall the slow calls of all functions that do not use the wrong one."""
        with ExitStack() as stack:
            for called in self._found:
                apart = called is not wrong and (wrong.module, wrong.name) not in called.inside
                if apart and called.name in self._values:
                    new = self.recalled(called)
                    stack.enter_context(planted(called, new, space))
            yield


def _generators(args: Any, kwargs: Any) -> list[np.random.Generator]:
    found = [v for v in (*args, *kwargs.values()) if isinstance(v, np.random.Generator)]
    return list({id(v): v for v in found}.values())  # one that is given twice is one


def _children(rng: np.random.Generator) -> int:
    """Return how many generators were spawned, which its state does not tell."""
    return getattr(rng.bit_generator.seed_seq, "n_children_spawned", 0)


def _key(args: Any, kwargs: Any) -> str | None:
    """Return a key of the arguments; None where a call is more than its value and its draws."""
    given = [len(args), *args, *kwargs, *kwargs.values()]
    if any(hasattr(value, "rng") for value in given):
        return None
    try:
        return "|".join(map(_told, given))
    except (pickle.PicklingError, AttributeError, TypeError):
        return None


def _told(value: Any) -> str:
    """Return what tells a value from others; a general hash takes longer than many a call."""
    if isinstance(value, np.random.Generator):
        return f"{_children(value)} {joblib.hash(value.bit_generator.state)}"
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return f"{value.dtype} {value.shape} {hashlib.sha1(value.tobytes()).hexdigest()}"
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    return str(joblib.hash(value))
