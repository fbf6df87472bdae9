"""The checks of Part IV can fail: each is run again with an error planted in the package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jupytext
import numpy as np
import pytest
from shared import ROOT

from mipbook import learners, mis, tradeoff

BOOK = ROOT / "book" / "mis"


def times(factor: float) -> Callable[[Any], Any]:
    """Return a mutation that scales an answer, in whatever it is wrapped."""

    def mutate(function: Any) -> Any:
        def wrong(*given: Any, **named: Any) -> Any:
            answer = function(*given, **named)
            if isinstance(answer, tuple):
                return type(answer)(*(factor * part for part in answer))
            return factor * answer

        return wrong

    return mutate


def always(value: Any) -> Callable[[Any], Any]:
    """Return a mutation that answers the same whatever is asked."""
    return lambda function: lambda *given, **named: value


def without_mix(function: Any) -> Any:
    """Forget nu and lam: the divergence becomes the plain total variation."""
    return lambda p, q, nu=0.5, lam=0.5: function(p, q)


def where(asked: Callable[..., bool], mutate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a mutation that strikes only some of the calls."""

    def mutated(function: Any) -> Any:
        wrong = mutate(function)
        return lambda *given, **named: (wrong if asked(*given, **named) else function)(
            *given, **named
        )

    return mutated


def capped_double(function: Any) -> Any:
    return lambda *given, **named: np.minimum(1, 2 * np.asarray(function(*given, **named)))


def half_the_leak(function: Any) -> Any:
    return lambda *given, **named: 1 - (1 - np.asarray(function(*given, **named))) / 2


def slack_given(epsilon: Any, delta: Any = 0.0, *rest: Any, **named: Any) -> bool:
    return bool(np.any(np.asarray(delta) > 0))


def printed_bound(*given: Any, bound: str = "sharp", **named: Any) -> bool:
    return bound == "published"


def not_the_attained(p: Any, n: int) -> bool:
    return not (len(p) == 2 and n == 3)


def without_c(function: Any) -> Any:
    return lambda n, d, length, c=0.0: function(n, d, length)


VACUOUS = always(mis.SecurityBounds(0.0, 1.0))

# Page, result, where the function is, its name, and what becomes of it.
MUTANTS: list[tuple[str, str, Any, str, Callable[[Any], Any]]] = [
    ("security", "limits-def-3", mis.FiniteModel, "security", times(0.98)),
    ("security", "limits-remark-4", mis, "divergence", without_mix),
    ("security", "limits-prop-5", mis, "divergence", times(1.01)),
    ("security", "limits-prop-5", mis, "divergence", without_mix),
    ("security", "limits-prop-5", mis, "generator", times(1.01)),
    ("security", "limits-remark-7", mis, "pinsker_bound", times(0.5)),
    ("security", "limits-remark-7", mis, "pinsker_bound", always(1.0)),
    ("security", "limits-prop-18", mis, "estimator_gaps", always((0.0, 0.0))),
    ("overfitting", "limits-hyp-1", mis, "overfitting_security", capped_double),
    ("overfitting", "limits-hyp-1", mis, "overfitting_security", times(0.5)),
    ("overfitting", "limits-thm-11", mis, "overfitting_security", times(0.97)),
    ("overfitting", "limits-example-1", mis, "stopping_security", times(0.5)),
    ("overfitting", "limits-example-1", mis, "stopping_security", times(10.0)),
    ("overfitting", "limits-example-1", mis, "stopping_threshold", times(1.5)),
    ("overfitting", "limits-prop-19", learners, "near_orthogonal", always(False)),
    ("discrete-data", "limits-thm-14", mis, "worst_case_delta", times(1.001)),
    ("discrete-data", "limits-cor-15", mis, "security_bounds", where(not_the_attained, VACUOUS)),
    ("discrete-data", "limits-lemma-21", mis, "rare_atom_bounds", VACUOUS),
    (
        "discrete-data",
        "limits-lemma-21",
        mis,
        "rare_atom_bounds",
        where(lambda p, n: len(p) > 3, VACUOUS),
    ),
    ("discrete-data", "limits-lemma-20", mis, "power_law_delta", times(1.015)),
    ("discrete-data", "limits-lemma-29", mis, "de_moivre_sum", times(1.001)),
    ("discrete-data", "limits-lemma-29", mis, "mean_absolute_deviation", times(1 + 1e-6)),
    ("dp-and-security", "limits-remark-8", mis, "security_from_dp", times(0.9)),
    ("dp-and-security", "limits-remark-8", mis, "security_from_dp", half_the_leak),
    (
        "dp-and-security",
        "limits-remark-8",
        mis,
        "security_from_dp",
        where(slack_given, half_the_leak),
    ),
    ("dp-and-security", "limits-eq-53", mis, "delta_from_dp", times(0.95)),
    ("dp-and-security", "limits-eq-53", mis, "delta_from_dp", where(printed_bound, times(1.5))),
    (
        "dp-and-security",
        "limits-eq-53",
        mis,
        "delta_from_dp",
        where(lambda *g, **k: printed_bound(*g, **k) and slack_given(*g), times(1.5)),
    ),
    ("dp-and-security", "limits-lemma-33", mis, "epsilon_from_security", times(1.01)),
    ("dp-and-security", "limits-lemma-33", mis, "learner_delta", times(1.01)),
    ("dp-and-security", "limits-lemma-34", tradeoff, "gaussian_delta", times(1 + 1e-6)),
    ("empirical-means", "limits-thm-13", mis, "mean_delta_bound", times(0.7)),
    ("empirical-means", "limits-thm-13", mis, "mean_delta_bound", without_c),
    ("empirical-means", "limits-thm-13", mis, "gaussian_mean_delta", times(1 + 1e-9)),
    ("empirical-means", "limits-example-3", mis, "mean_variance_delta", times(1.002)),
    ("empirical-means", "limits-remark-13", mis, "mean_records_needed", times(0.98)),
    ("empirical-means", "limits-remark-13", mis, "mean_records_needed", times(1.02)),
    ("empirical-means", "limits-prop-25", mis, "near_gaussians_bound", times(1.02)),
    ("overfitting", "limits-prop-10", mis, "worst_losses", times(0.98)),
    ("overfitting", "limits-prop-10", mis, "overfitting_fraction", times(0.98)),
]
PAGES = sorted({page for page, *_ in MUTANTS})


def cells_of(page: str) -> list[str]:
    notebook = jupytext.read(BOOK / f"{page}.md", fmt="md:myst")
    return [c.source for c in notebook.cells if c.cell_type == "code"]


@pytest.mark.parametrize("page", PAGES)
def test_planted_errors_are_caught(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    space: dict[str, Any] = {"__name__": "page"}
    caught = set()
    for source in cells_of(page):
        if "Explorable(" in source:
            continue
        before = dict(space)
        exec(compile(source, page, "exec"), space)
        for place, (at, name, owner, attribute, mutate) in enumerate(MUTANTS):
            if at != page or f'result("{name}"' not in source:
                continue
            with monkeypatch.context() as patch:
                patch.setattr(owner, attribute, mutate(getattr(owner, attribute)))
                try:
                    exec(compile(source, page, "exec"), dict(before))
                except (AssertionError, ValueError):
                    caught.add(place)
    missed = [
        f"{place}: {name}, {attribute}"
        for place, (at, name, _, attribute, _) in enumerate(MUTANTS)
        if at == page and place not in caught
    ]
    assert not missed
