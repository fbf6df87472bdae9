"""Ask riskcal, which is made for advantages and error rates."""

from __future__ import annotations

from importlib import metadata

from riskcal import analysis, calibration


def version() -> str:
    """Return the version that answers."""
    return metadata.version("riskcal")


def _training_advantage(sigma: float, sampling: float, steps: int) -> float:
    found = calibration.get_advantage_for_dpsgd(
        noise_multiplier=sigma, sample_rate=sampling, num_steps=steps
    )
    return float(found)


ROUTES = {
    "training_advantage": {"PLD": _training_advantage},
    "promise_advantage": {
        "formula": lambda epsilon, delta: analysis.get_advantage_from_adp(epsilon, delta)
    },
    "gaussian_advantage": {"formula": lambda mu: analysis.get_advantage_from_gdp(mu)},
    "concentrated_advantage": {"curve": lambda rho: analysis.get_advantage_from_zcdp(rho)},
    "concentrated_tpr": {
        "curve": lambda rho, fpr: 1 - analysis.get_beta_from_zcdp(rho=rho, alpha=fpr)
    },
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
