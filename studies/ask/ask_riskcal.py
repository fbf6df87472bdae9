"""Ask riskcal, which is made for advantages and error rates.

Its search for zCDP has arguments; it is asked with its defaults, with finer ones, and with the
largest Rényi order lowered from 1,024.
"""

from collections.abc import Callable
from functools import partial
from importlib import metadata
from typing import Any

from riskcal import analysis, calibration


def version() -> str:
    """Return the version that answers."""
    return metadata.version("riskcal")


def _training_advantage(sigma: float, sampling: float, steps: int) -> float:
    found = calibration.get_advantage_for_dpsgd(noise_multiplier=sigma, sample_rate=sampling, num_steps=steps)
    return float(found)


def _tpr(rho: float, fpr: float, **how: Any) -> float:
    return float(1 - analysis.get_beta_from_zcdp(rho=rho, alpha=fpr, **how))


_SEARCHES: dict[str, dict[str, Any]] = {
    "curve": {},
    "curve, finer": {"tol": 1e-12, "grid_size": 3000},
    "curve, orders to 64": {"max_order": 64.0},
}


def _each(function: Callable[..., float]) -> dict[str, Callable[..., float]]:
    return {name: partial(function, **how) for name, how in _SEARCHES.items()}


ROUTES = {
    "training_advantage": {"PLD": _training_advantage},
    "promise_advantage": {"formula": lambda epsilon, delta: analysis.get_advantage_from_adp(epsilon, delta)},
    "gaussian_advantage": {"formula": lambda mu: analysis.get_advantage_from_gdp(mu)},
    "concentrated_advantage": _each(analysis.get_advantage_from_zcdp),
    "concentrated_tpr": _each(_tpr),
}
_MADE_FOR = "made for advantages and error rates; epsilon it takes from an accountant"
SILENT = {
    "sigma": _MADE_FOR,
    "training": _MADE_FOR,
    "laplace_delta": _MADE_FOR,
    "laplace_epsilon": _MADE_FOR,
    "pure": _MADE_FOR,
    "concentrated": "no function for epsilon of a zCDP promise",
}
