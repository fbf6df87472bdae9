"""The checks of Part IV can fail: each is run again with an error planted in the package."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jupytext
import numpy as np
import pytest

from mipbook import learners, mis

BOOK = Path(__file__).resolve().parents[2] / "book" / "limits"


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


# Page, result, where the function is, its name, and what becomes of it.
MUTANTS = [
    ("security", "limits-def-3", mis.FiniteModel, "security", times(0.98)),
    ("security", "limits-remark-4", mis, "divergence", without_mix),
    ("security", "limits-prop-5", mis, "divergence", times(1.01)),
    ("security", "limits-prop-5", mis, "divergence", without_mix),
    ("security", "limits-prop-5", mis, "generator", times(1.01)),
    ("security", "limits-remark-7", mis, "pinsker_bound", times(0.5)),
    ("security", "limits-remark-7", mis, "pinsker_bound", always(1.0)),
    ("security", "limits-prop-18", mis, "redundancy_gap", always(0.0)),
    ("overfitting", "limits-hyp-1", mis, "overfitting_security", times(2.0)),
    ("overfitting", "limits-hyp-1", mis, "overfitting_security", times(0.5)),
    ("overfitting", "limits-thm-11", mis, "overfitting_security", times(0.97)),
    ("overfitting", "limits-example-1", mis, "stopping_security", times(0.5)),
    ("overfitting", "limits-example-1", mis, "stopping_security", times(10.0)),
    ("overfitting", "limits-example-1", mis, "stopping_threshold", times(1.5)),
    ("discrete-data", "limits-cor-15", mis, "security_bounds", always(mis.SecurityBounds(0, 1))),
    ("discrete-data", "limits-lemma-21", mis, "rare_atom_bounds", always(mis.SecurityBounds(0, 1))),
    ("discrete-data", "limits-lemma-29", mis, "mean_absolute_deviation", times(1 + 1e-6)),
    ("dp-and-security", "limits-remark-8", mis, "delta_from_dp", times(0.5)),
    ("dp-and-security", "limits-remark-8", mis, "security_from_dp", times(0.9)),
    ("dp-and-security", "limits-eq-53", mis, "delta_from_dp", times(1.5)),
    ("dp-and-security", "limits-eq-53", mis, "delta_from_dp", times(0.95)),
    ("empirical-means", "limits-thm-13", mis, "mean_delta_bound", times(0.7)),
    ("empirical-means", "limits-example-3", mis, "mean_variance_delta", times(1.002)),
    ("empirical-means", "limits-remark-13", mis, "mean_records_needed", times(0.5)),
    ("empirical-means", "limits-prop-25", mis, "near_gaussians_bound", times(0.75)),
]
PAGES = sorted({page for page, *_ in MUTANTS})


def cells_of(page: str) -> list[str]:
    notebook = jupytext.read(BOOK / f"{page}.md", fmt="md:myst")
    return [c.source for c in notebook.cells if c.cell_type == "code"]


@pytest.mark.parametrize("page", PAGES)
def test_planted_errors_are_caught(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    space: dict[str, Any] = {"__name__": "page"}
    survivors = []
    for source in cells_of(page):
        if "Explorable(" in source:
            continue
        before = dict(space)
        exec(compile(source, page, "exec"), space)
        for _, name, owner, attribute, mutate in (m for m in MUTANTS if m[0] == page):
            if f'result("{name}"' not in source:
                continue
            with monkeypatch.context() as patch:
                patch.setattr(owner, attribute, mutate(getattr(owner, attribute)))
                try:
                    exec(compile(source, page, "exec"), dict(before))
                except (AssertionError, ValueError):
                    continue
            survivors.append(f"{name}: {attribute} by {mutate.__qualname__}")
    assert not survivors


def test_every_mutant_has_its_cell() -> None:
    for page, name, *_ in MUTANTS:
        assert any(f'result("{name}"' in source for source in cells_of(page)), name
    assert math.isfinite(np.pi)
    assert learners
