"""Run the checks of a chapter under planted errors and tell which they catch."""

from __future__ import annotations

import copy
import functools
import hashlib
import inspect
import pickle
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import joblib
import numpy as np

from explorable.checks import plant
from explorable.checks.errors import Error, Make, errors_of, own_error
from explorable.checks.ledger import Record
from explorable.checks.plant import Chapter

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
    record : Record or None
        What the cell recorded.
    seconds : float
        How long a planted run may take.
    """

    def __init__(self, cell: plant.Cell, names: set[str], space: dict[str, Any]) -> None:
        self._heard: dict[tuple[str, str], plant.Called] = {}
        self._running: list[plant.Called] = []
        self._values: dict[tuple[str, str], dict[str, Any]] = {}
        self._busy = False
        used = plant.fresh(space)
        listeners = [(called, self._listener(called)) for called in plant.claims(names)]
        # What a true run takes is what a planted one may take, which may find no cache filled.
        plant.forget(())
        with plant.planted(listeners, used):
            began = time.process_time()
            self.record = cell.run(used, misprints=True)
            self.seconds = _LEAST + _PATIENCE * (time.process_time() - began)
        self.found = [called for called in self._heard.values() if called.arguments]

    def _listener(self, called: plant.Called) -> plant.Function:
        true, key = plant.plain(plant.attribute(called)[2]), (called.module, called.name)
        signature = inspect.signature(true)

        @functools.wraps(true)
        def listener(*args: Any, **kwargs: Any) -> Any:
            heard = self._heard.setdefault(key, called)
            for other in self._running:
                other.inside.add(key)
            asked = sys._getframe(1).f_code.co_filename.startswith(plant.CELL)
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

    def _noted(self, name: tuple[str, str], true: plant.Function, args: Any, kwargs: Any) -> Any:
        """Call a function, and remember what it gave if that took long."""
        key = None if self._busy else _key(args, kwargs)
        if key is None:
            return true(*args, **kwargs)
        rngs = [(rng, _children(rng)) for rng in _generators(args, kwargs)]
        self._busy, began = True, time.perf_counter()
        try:
            value = true(*args, **kwargs)
        finally:
            self._busy = False
        if time.perf_counter() - began > _SLOW:
            later = [(_children(rng) - before, rng.bit_generator.state) for rng, before in rngs]
            self._values.setdefault(name, {})[key] = copy.deepcopy((value, later))
        return value

    def recalled(self, called: plant.Called) -> plant.Function:
        """Return the function with its slow true calls remembered."""
        true = plant.plain(plant.attribute(called)[2])
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

    def others(self, wrong: plant.Called) -> list[tuple[plant.Called, plant.Function]]:
        """Return the functions with slow calls, remembered, that do not use the wrong one."""
        name, heard = (wrong.module, wrong.name), (self._heard[key] for key in self._values)
        return [(c, self.recalled(c)) for c in heard if c is not wrong and name not in c.inside]


def _generators(args: Any, kwargs: Any) -> list[np.random.Generator]:
    found = (v for v in (*args, *kwargs.values()) if isinstance(v, np.random.Generator))
    return list(dict.fromkeys(found))  # one that is given twice is one


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


NOTHING = ("the package", "nothing called")
# In the place of a function: errors in a formula, which fail the true run unless all are caught.
TEXT = "the text of"


@dataclass(frozen=True)
class Verdict:
    """What became of one planted error in the checks of one result.

    ``caught`` names the strength at which a comparison failed; ``why`` is the excuse of the
    check for letting the error through.
    """

    result: str
    function: str
    error: str
    caught: str | None
    why: str | None = None

    @property
    def survives(self) -> bool:
        """Whether the error got through without an excuse, or the excuse is not needed."""
        return (self.caught is None) == (self.why is None)

    @property
    def fate(self) -> str:
        """What became of the error, in words."""
        if self.caught is None:
            return "not caught" if self.why is None else f"not caught, excused: {self.why}"
        told = f"caught at {self.caught}" if self.caught else "caught"
        return told if self.why is None else f"{told}, though excused"

    def __str__(self) -> str:
        return f"{self.result}: {self.function} {self.error}: {self.fate}"


def _attempt(
    cell: plant.Cell, space: dict[str, Any], replay: Replay, error: Error, make: Make
) -> Literal["caught", "survived", "lost"]:
    """Tell whether a comparison fails; a run that shows nothing is lost."""
    watch, used = plant.Watch(replay.seconds), plant.fresh(space)
    wrong = error.called, make(replay.recalled(error.called), watch)
    try:
        with plant.planted([*replay.others(error.called), wrong], used), watch:
            cell.run(used)
    except AssertionError as failed:
        # Only a comparison of the check speaks for the check.
        return "caught" if str(failed).startswith(f"{cell.result}: ") else "lost"
    except (plant.Lost, Exception):
        return "lost"
    return "survived" if watch.changed else "lost"


def _errors(cell: plant.Cell, found: Iterable[plant.Called], record: Record) -> Iterator[Error]:
    by_name = {called.name: called for called in found}
    for called in by_name.values():
        yield from errors_of(called, cell.spoken())
    for function, name, wrong in record.plants:
        if function not in by_name:
            raise AssertionError(f"{cell.result}: plants an error in {function}, never called")
        yield own_error(by_name[function], name, wrong)


def _judge_cell(cell: plant.Cell, names: set[str], space: dict[str, Any]) -> Iterator[Verdict]:
    identifier, replay = str(cell.result), Replay(cell, names, space)
    record = replay.record or Record(identifier, "")
    excuses = {(e.function, e.error): e.why for e in record.excuses}
    planted_any = False
    for error in _errors(cell, replay.found, record):
        fates: dict[str, str] = {}
        for strength, make in error.tries:
            if "caught" not in fates.values():
                fates[strength] = _attempt(cell, space, replay, error, make)
        if set(fates.values()) != {"lost"}:
            planted_any = True
            why = excuses.pop((error.called.name, error.name), None)
            caught = next((s for s, fate in fates.items() if fate == "caught"), None)
            yield Verdict(identifier, error.called.name, error.name, caught, why)
    # Where the mathematics stands in the check itself, errors are planted in the formula that it reads.
    if not planted_any and not record.readings:
        yield Verdict(identifier, *NOTHING, None, excuses.pop(NOTHING, None))
    for (function, name), why in excuses.items():
        yield Verdict(identifier, function, name, "never planted", why)
    for reading in record.readings:
        yield Verdict(identifier, TEXT, reading.formula, f"{reading.points} points")


def judge(chapter: Chapter) -> list[Verdict]:
    r"""Return what became of every error planted under the checks of a chapter.

    A result that is checked in several cells catches what one of them catches.

    Parameters
    ----------
    chapter : Chapter

    Returns
    -------
    list of Verdict

    Examples
    --------
    >>> import mipbook  # which names the book that has this result
    >>> from explorable.checks.plant import Cell
    >>> lines = [
    ...     "from mipbook import mip",
    ...     "from explorable.checks import result",
    ...     "with result('mip-thm-4') as check:",
    ...     "    check.at_most(mip.eta_from_dp(1.0), 0.232)",
    ... ]
    >>> cell = Cell("\n".join(lines).replace("'", '"'), "toy 0")
    >>> for verdict in judge(Chapter("mip/toy", (cell,))):
    ...     print(verdict)
    mip-thm-4: eta_from_dp too large: caught at 5%
    mip-thm-4: eta_from_dp too small: not caught
    mip-thm-4: eta_from_dp without + (1 - delta) * np.tanh(epsilon / 2) / 2: not caught
    """
    found: dict[tuple[str, str, str], Verdict] = {}
    names = chapter.spoken()
    for cell, space in chapter.checks():
        for verdict in _judge_cell(cell, names, space):
            key = verdict.result, verdict.function, verdict.error
            if key not in found or (found[key].survives and not verdict.survives):
                found[key] = verdict
    return list(found.values())


@dataclass(frozen=True)
class Tally:
    """How many of the planted errors the checks of one result caught."""

    caught: int
    planted: int
    excused: int

    def __add__(self, other: Tally) -> Tally:
        """Count together what several chapters plant under one result."""
        return Tally(self.caught + other.caught, self.planted + other.planted, self.excused + other.excused)

    def __str__(self) -> str:
        told = f"{self.caught} of {self.planted} planted errors caught"
        return told + (f", {self.excused} excused" if self.excused else "")


def tallies(verdicts: Iterable[Verdict]) -> dict[str, Tally]:
    """Return what to tell of each result, by id; excused errors are not counted as planted.

    What a formula's text is told by stands with its reading.

    Parameters
    ----------
    verdicts : iterable of Verdict

    Returns
    -------
    dict of Tally

    Examples
    --------
    >>> print(tallies([Verdict("mip-thm-4", "eta_from_dp", "too small", "5%")])["mip-thm-4"])
    1 of 1 planted errors caught
    """
    found: dict[str, Tally] = {}
    for v in (verdict for verdict in verdicts if verdict.function != TEXT):
        excused = v.caught is None and v.why is not None
        planted = not excused and (v.function, v.error) != NOTHING
        one = Tally(v.caught is not None, planted, excused)
        found[v.result] = found.get(v.result, Tally(0, 0, 0)) + one
    return found
