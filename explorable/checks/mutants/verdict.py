"""Run the checks of a chapter under planted errors and tell which they catch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from explorable import checks as ledger
from explorable.checks.mutants.chapter import Called, Cell, Chapter, fresh
from explorable.checks.mutants.errors import Error, Make, errors_of, own_error
from explorable.checks.mutants.plant import Lost, Watch, planted
from explorable.checks.mutants.replay import Replay

__all__ = ["Tally", "Verdict", "judge", "tallies"]

NOTHING = ("the package", "nothing called")


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
    cell: Cell, space: dict[str, Any], replay: Replay, error: Error, make: Make
) -> Literal["caught", "survived", "lost"]:
    """Tell whether a comparison fails; a run that shows nothing is lost."""
    watch, used = Watch(replay.seconds), fresh(space)
    altered = make(replay.recalled(error.called), watch)
    try:
        with planted([*replay.others(error.called), (error.called, altered)], used), watch:
            cell.run(used)
    except AssertionError as failed:
        # Only a comparison of the check speaks for the check.
        return "caught" if str(failed).startswith(f"{cell.result}: ") else "lost"
    except (Lost, Exception):
        return "lost"
    return "survived" if watch.changed else "lost"


def _errors(cell: Cell, found: Iterable[Called], record: ledger.Record | None) -> Iterator[Error]:
    by_name = {called.name: called for called in found}
    for called in by_name.values():
        yield from errors_of(called, cell.spoken())
    for function, name, wrong in record.plants if record else []:
        if function not in by_name:
            raise AssertionError(f"{cell.result}: plants an error in {function}, never called")
        yield own_error(by_name[function], name, wrong)


def _judge_cell(cell: Cell, names: set[str], space: dict[str, Any]) -> Iterator[Verdict]:
    identifier = str(cell.result)
    replay = Replay(cell, names, space)
    found, record = replay.found, replay.record
    excuses = {(e.function, e.error): e.why for e in (record.excuses if record else [])}
    planted_any = False
    for error in _errors(cell, found, record):
        fates: dict[str, str] = {}
        for strength, make in error.tries:
            if "caught" not in fates.values():
                fates[strength] = _attempt(cell, space, replay, error, make)
        if set(fates.values()) != {"lost"}:
            planted_any = True
            why = excuses.pop((error.called.name, error.name), None)
            caught = next((s for s, fate in fates.items() if fate == "caught"), None)
            yield Verdict(identifier, error.called.name, error.name, caught, why)
    if not planted_any:
        yield Verdict(identifier, *NOTHING, None, excuses.pop(NOTHING, None))
    for (function, name), why in excuses.items():
        yield Verdict(identifier, function, name, "never planted", why)


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
    >>> from explorable.checks.mutants.chapter import Cell
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
    for v in verdicts:
        excused = v.caught is None and v.why is not None
        missing = (v.function, v.error) == NOTHING
        one = Tally(v.caught is not None, not excused and not missing, excused)
        found[v.result] = found.get(v.result, Tally(0, 0, 0)) + one
    return found
