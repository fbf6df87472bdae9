"""Errors that the harness of planted errors does not make by itself; the checks catch these too.

`explorable.checks.mutants` makes a function wrong in all its calls, by 5% or more. Here stands what it
cannot: some calls only, or another formula.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from shared import ROOT

from explorable.checks.plant import Cell, fresh, read_chapter
from mipbook import game, mip, mis
from mipbook.game.counts import Interval

Function = Callable[..., Any]
# Takes the true function and returns the wrong one.
Error = Callable[[Function], Function]


def times(factor: float) -> Error:
    """Scale an answer, in whatever it is wrapped."""

    def error(true: Function) -> Function:
        def wrong(*given: Any, **named: Any) -> Any:
            answer = true(*given, **named)
            if isinstance(answer, tuple):
                return type(answer)(*(factor * part for part in answer))
            return factor * answer

        return wrong

    return error


def always(value: Any) -> Error:
    """Answer the same whatever is asked."""
    return lambda true: lambda *given, **named: value


def where(asked: Callable[..., bool], error: Error) -> Error:
    """Make only some of the calls wrong."""

    def some(true: Function) -> Function:
        wrong = error(true)

        def either(*given: Any, **named: Any) -> Any:
            return (wrong if asked(*given, **named) else true)(*given, **named)

        return either

    return some


def published_constant(eta: Any, M: float = 2, dimension: int = 1, as_published: bool = False) -> bool:
    return as_published and M >= 2


def another_constant(true: Function) -> Function:
    return lambda eta, *rest, **named: 6.16 / np.asarray(eta)


def mean_eta(true: Function) -> Function:
    """Promise for the mean record what is promised for the worst."""

    def wrong(table: Any, members: Any, weights: Any = None) -> float:
        flags = np.asarray(members)
        inside = flags.mean(axis=0)
        accuracies = mip.record_accuracies(table, flags, weights)
        return float(np.mean(accuracies - np.maximum(inside, 1 - inside)))

    return wrong


def largest_coordinate(true: Function) -> Function:
    return lambda x, *rest: np.abs(x).max(-1) ** 2 + 1


def parts_of_a_half(data: Any, *rest: Any, **named: Any) -> bool:
    return len(data) == 100


def blind_guess_at_half(true: Function) -> Any:
    return property(lambda counts: abs(counts.accuracy - 0.5))


def half_the_leak(true: Function) -> Function:
    return lambda *given, **named: 1 - (1 - np.asarray(true(*given, **named))) / 2


def slack_given(epsilon: Any, delta: Any = 0.0, *rest: Any, **named: Any) -> bool:
    return bool(np.any(np.asarray(delta) > 0))


def printed_bound(*given: Any, bound: str = "sharp", **named: Any) -> bool:
    return bound == "published"


def printed_bound_with_slack(*given: Any, **named: Any) -> bool:
    return printed_bound(*given, **named) and slack_given(*given)


def not_the_attained(p: Any, n: int) -> bool:
    return not (len(p) == 2 and n == 3)


def many_kinds(p: Any, n: int) -> bool:
    return len(p) > 3


def without_c(true: Function) -> Function:
    return lambda n, d, length, c=0.0: true(n, d, length)


def a_third_off_the_edge(true: Function) -> Function:
    return lambda n: 0.5 + 0.7 * (true(n) - 0.5)


VACUOUS = always(Interval(0.0, 1.0))
NOISE_RECORD, DEFINED, RELATED = "mip/noise-record", "mip/definition", "mip/dp-and-mip"
SECURITY, DISCRETE, MEANS = "mis/security", "mis/discrete-data", "mis/empirical-means"
DISCRETE_RECORD, MEANS_RECORD = f"{DISCRETE}-record", f"{MEANS}-record"
PRIVATE = "mis/dp-and-security"

# Page, result, where the function is, its name, and what becomes of it.
PLANTED: list[tuple[str, str, Any, str, Error]] = [
    (NOISE_RECORD, "mip-thm-9", mip, "noise_scale", where(published_constant, another_constant)),
    (NOISE_RECORD, "rip-thm-7", mip, "noise_scale", where(published_constant, always(1e-9))),
    (NOISE_RECORD, "mip-cor-14", mip, "noise_scale", where(published_constant, times(0.97))),
    (NOISE_RECORD, "rip-alg-1", mip, "fit_on_halves", where(parts_of_a_half, times(0.8))),
    (NOISE_RECORD, "mip-lemma-13", mip, "weighted_norm", largest_coordinate),
    (DEFINED, "mip-def-1", mip, "finite_eta", mean_eta),
    (f"{DEFINED}-record", "mip-table-1", mip, "finite_eta", mean_eta),
    # What the study's picture shows of member or other patient.
    (f"{DEFINED}-record", "mip-example-3.2", mip, "peer_accuracy", a_third_off_the_edge),
    (RELATED, "mip-thm-5", mip, "finite_eta", mean_eta),
    (f"{RELATED}-record", "rip-thm-5", mip, "finite_eta", mean_eta),
    ("mip/less-noise-record", "mip-fig-1", mip, "noise_scale", where(published_constant, times(1.05))),
    ("game/membership-game", "lecture-advantage", game.Confusion, "lecture_advantage", blind_guess_at_half),
    ("game/attacks-as-lower-bounds-record", "lecture-example", game, "finite_epsilon", always(7.0)),
    (DISCRETE, "limits-cor-15", mis, "security_bounds", where(not_the_attained, VACUOUS)),
    (DISCRETE, "limits-lemma-21", mis, "rare_atom_bounds", where(many_kinds, VACUOUS)),
    (f"{PRIVATE}-record", "limits-remark-8", mis, "security_from_dp", where(slack_given, half_the_leak)),
    (f"{PRIVATE}-record", "limits-eq-53", mis, "delta_from_dp", where(printed_bound, times(1.5))),
    (f"{PRIVATE}-record", "limits-eq-53", mis, "delta_from_dp", where(printed_bound_with_slack, times(1.5))),
    (MEANS, "limits-thm-13", mis, "mean_delta_bound", without_c),
]


def catches(cell: Cell, space: dict[str, Any]) -> bool:
    """Tell whether a comparison of the check fails; what else goes wrong is no catch."""
    try:
        cell.run(fresh(space))
    except AssertionError as failed:
        if str(failed).startswith(f"{cell.result}: "):
            return True
        raise
    return False


@pytest.mark.parametrize("page", sorted({row[0] for row in PLANTED}))
def test_planted_errors_are_caught(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    missed = {(row[1], row[3], i) for i, row in enumerate(PLANTED) if row[0] == page}
    for cell, space in read_chapter(ROOT / "book" / f"{page}.md").checks():
        mine = [(i, row) for i, row in enumerate(PLANTED) if row[1] == cell.result]
        if not mine:
            continue
        assert not catches(cell, space), f"{cell.result} fails without a planted error"
        for i, (_, identifier, owner, name, error) in mine:
            with monkeypatch.context() as patch:
                patch.setattr(owner, name, error(getattr(owner, name)))
                if catches(cell, space):
                    missed.discard((identifier, name, i))
    assert not missed, "a check lets a planted error through"
