"""Slow calls of a cell, remembered from its true run, so that planted runs need not repeat them."""

from __future__ import annotations

import copy
import functools
import hashlib
import inspect
import pickle
import sys
import time
from typing import Any

import joblib
import numpy as np

from explorable.checks.mutants.chapter import FILE, Called, Cell, fresh
from explorable.checks.mutants.claims import claims
from explorable.checks.mutants.plant import Function, attribute, forget, plain, planted

__all__ = ["Replay"]

_SLOW = 1e-3  # seconds
# A planted run gets this many times the seconds of the true one, and some more.
_PATIENCE, _LEAST = 3.0, 1.0


class Replay:
    """The true run of a cell: what the cell calls, and what the slow calls gave.

    Parameters
    ----------
    cell : Cell
    names : set of str
        The names in the code of the cell and of those before it.
    space : dict
        What those before it left.

    Attributes
    ----------
    found : list of Called
        The public functions that the cell's own code calls.
    record : ledger.Record or None
        What the cell recorded.
    seconds : float
        How long a planted run may take.
    """

    def __init__(self, cell: Cell, names: set[str], space: dict[str, Any]) -> None:
        self._heard: dict[tuple[str, str], Called] = {}
        self._running: list[Called] = []
        self._values: dict[tuple[str, str], dict[str, Any]] = {}
        self._busy = False
        used = fresh(space)
        listeners = [(called, self._listener(called)) for called in claims(names)]
        # What a true run takes is what a planted one may take, which may find no cache filled.
        forget(())
        with planted(listeners, used):
            began = time.process_time()
            self.record = cell.run(used)
            self.seconds = _LEAST + _PATIENCE * (time.process_time() - began)
        self.found = [called for called in self._heard.values() if called.arguments]

    def _listener(self, called: Called) -> Function:
        true, key = plain(attribute(called)[2]), (called.module, called.name)
        signature = inspect.signature(true)

        @functools.wraps(true)
        def listener(*args: Any, **kwargs: Any) -> Any:
            heard = self._heard.setdefault(key, called)
            for other in self._running:
                other.inside.add(key)
            asked = sys._getframe(1).f_code.co_filename.startswith(FILE)
            if asked:
                bound = signature.bind(*args, **kwargs)
                bound.apply_defaults()
                heard.arguments.append(dict(bound.arguments))
            self._running.append(heard)
            try:
                value = self._noted(key, true, args, kwargs)
            finally:
                self._running.pop()
            if asked and value is not None and not heard.results:
                heard.results.append(value)
            return value

        return listener

    def _noted(self, name: tuple[str, str], true: Function, args: Any, kwargs: Any) -> Any:
        """Call a function, and remember what it gave if that took long."""
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
            self._values.setdefault(name, {})[key] = copy.deepcopy((value, later))
        return value

    def recalled(self, called: Called) -> Function:
        """Return the function with its slow true calls remembered."""
        true = plain(attribute(called)[2])
        known = self._values.get((called.module, called.name))
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

    def others(self, wrong: Called) -> list[tuple[Called, Function]]:
        """Return the functions with slow calls, remembered, that do not use the wrong one."""
        heard = [self._heard[key] for key in self._values]
        name = wrong.module, wrong.name
        apart = [c for c in heard if c is not wrong and name not in c.inside]
        return [(called, self.recalled(called)) for called in apart]


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
