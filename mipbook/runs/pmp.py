"""The simulations of the PMP paper: the trials behind its Figures 1 to 6."""

from __future__ import annotations

from typing import Any

import numpy as np

from mipbook import pmp
from mipbook.base.types import Array
from mipbook.runs.pmp_ladder import LADDER_RUN
from mipbook.runs.pmp_pools import POOL_RUNS
from mipbook.runs.simulation import Simulation

__all__ = [
    "FIGURE_1",
    "FIGURE_2",
    "FIGURE_3",
    "FIGURE_4",
    "FIGURE_5",
    "FIGURE_6",
    "RUNS",
    "exponential_quotients",
]


# --- Figures 1 to 3: the exponential mechanism, the paper's eps(X) held --------------------


def _exponential(
    name: str, trials: int, fixed: dict[str, Any], axes: dict[str, tuple[Any, ...]]
) -> Simulation:
    return Simulation(
        name=name,
        trial=pmp.exponential_trial,
        fixed={**fixed, "held": "surrogate", "convention": "attained"},
        axes=axes,
        trials=trials,
        seed=20240,
        fields={
            "pmp": lambda t: t.pmp,
            # The pool's share of the sensitivity: the paper's eps(X) over eps, whatever is held.
            "share": lambda t: t.surrogate / t.epsilon,
            "exact": lambda t: t.subset,
        },
        same_for={"share": ("epsilon",)},
        # The exact eps(X) takes longest, so fewer trials have it.
        few={"exact": (5, {"subset": True})},
    )


def exponential_quotients(
    figure: Simulation, convention: str, trials: int, **case: Any
) -> tuple[Array, Array, Array]:
    """Return eps~ over the paper's eps(X), over eps and over the exact eps(X), a row a setting.

    Parameters
    ----------
    figure : Simulation
        ``FIGURE_1``, ``FIGURE_2`` or ``FIGURE_3``.
    convention : {"attained", "triangle"}
        The sensitivity, as in `mipbook.pmp.norm_sensitivity`.
    trials : int
        The first so many; the last of the three has at most 5.
    **case
        All axes but that of the figure.

    Examples
    --------
    >>> drawn = exponential_quotients(FIGURE_1, "attained", 20, n=6, clip=10.0, epsilon=5.0)
    >>> [quotients.shape for quotients in drawn]
    [(9, 20), (9, 20), (9, 5)]
    """
    epsilon, n = case["epsilon"], case["n"]
    drawn = figure.read("pmp", **case)[:, :trials]
    share = figure.read("share", **{k: v for k, v in case.items() if k != "epsilon"})[:, :trials]
    exact = figure.read("exact", **case)
    # The exponent is held, so the nominal epsilon is proportional to the sensitivity.
    wider = [
        pmp.norm_sensitivity(n, clip, convention) / pmp.norm_sensitivity(n, clip)
        for clip in np.atleast_1d(case.get("clip", figure.axes["clip"]))
    ]
    over_all = drawn * share / (epsilon * np.array(wider)[:, None])
    few = min(trials, exact.shape[1])
    return drawn / epsilon, over_all, drawn[:, :few] / exact[:, :few]


FIGURE_1 = _exponential(
    "pmp_figure_1",
    100,
    {"dimension": 1, "objects": 10, "outliers": 0},
    {
        "n": (4, 6, 8),
        "clip": (10.0, 50.0),
        "sigma": (0.01, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
        "epsilon": (1.0, 5.0, 10.0),
    },
)
FIGURE_2 = _exponential(
    "pmp_figure_2",
    60,
    {"dimension": 5, "objects": 32, "sigma": 1.0},
    {
        "n": (4, 6),
        "outliers": (0, 2, 4),
        "clip": (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0),
        "epsilon": (2.0, 10.0),
        "factor": (10.0, 100.0),
    },
)
FIGURE_3 = _exponential(
    "pmp_figure_3",
    60,
    {"sigma": 1.0, "outliers": 0},
    {
        "n": (4, 6),
        "objects": (10, 32),
        "clip": (10.0, 50.0),
        "dimension": (1, 2, 3, 5, 10, 20, 50, 100),
        "epsilon": (1.0, 2.0, 5.0),
    },
)

# --- Figures 4 to 6: Gaussian noise --------------------------------------------------------


def _gaussian(name: str, fixed: dict[str, Any], axes: dict[str, tuple[Any, ...]]) -> Simulation:
    return Simulation(
        name=name,
        trial=pmp.gaussian_trial,
        fixed=fixed,
        axes={**axes, "sensitivity": ("2C/n", "C/n"), "held": ("epsilon", "subset")},
        trials=20,
        seed=20244,
        fields={
            "epsilon": lambda t: t.epsilon,
            "subset": lambda t: t.epsilon_subset,
            "pmp": lambda t: t.epsilon_pmp,
        },
        same_for={},
        few={},
    )


FIGURE_4 = _gaussian(
    "pmp_figure_4",
    {"dimension": 20, "sigma": 1.0, "clip": 50.0, "outliers": 0, "factor": 1.0},
    {"n": (25, 100), "delta": (0.001, 0.01), "epsilon": (0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)},
)
FIGURE_5 = _gaussian(
    "pmp_figure_5",
    {"n": 100, "dimension": 10, "sigma": 5.0, "delta": 0.01},
    {
        "epsilon": (1.0, 5.0),
        "outliers": (0, 2),
        "clip": (20.0, 30.0, 50.0, 75.0, 100.0, 150.0, 200.0),
        "factor": (3.0, 10.0),
    },
)
FIGURE_6 = _gaussian(
    "pmp_figure_6",
    {"n": 100, "clip": 50.0, "outliers": 0, "factor": 1.0, "delta": 0.01},
    {"epsilon": (1.0, 5.0), "sigma": (1.0, 10.0), "dimension": (1, 2, 5, 10, 20, 50, 100)},
)

RUNS = (
    *(figure.run for figure in (FIGURE_1, FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_5, FIGURE_6)),
    *POOL_RUNS,
    LADDER_RUN,
)
