"""Slow calls of a cell, remembered from its true run, so that planted runs need not repeat them."""

from __future__ import annotations

import copy
import functools
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
            self._busy, began = True, time.perf_counter()
            try:
                value = true(*args, **kwargs)
            finally:
                self._busy = False
            if time.perf_counter() - began > _SLOW:
                self._values.setdefault(called.name, {})[key] = copy.deepcopy(value)
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
            return copy.deepcopy(known[key]) if key in known else true(*args, **kwargs)

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


def _key(args: Any, kwargs: Any) -> str | None:
    """Return a key of the arguments; None where a call is more than its value."""
    given = [*args, *kwargs.values()]
    if any(isinstance(v, np.random.Generator) or hasattr(v, "rng") for v in given):
        return None
    try:
        return str(joblib.hash((args, kwargs)))
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
