"""Ask IBM's diffprivlib."""

from importlib import metadata
from typing import Any

from diffprivlib import BudgetAccountant
from diffprivlib.mechanisms import Gaussian, GaussianAnalytic


def version() -> str:
    """Return the version that answers."""
    return metadata.version("diffprivlib")


def _scale(mechanism: Any, epsilon: float, delta: float) -> Any:
    # The noise is told by its variance, at any value.
    return mechanism(epsilon=epsilon, delta=delta, sensitivity=1.0).variance(0.0) ** 0.5


def _spent(epsilon: float, times: int, delta: float) -> Any:
    return BudgetAccountant(spent_budget=[(epsilon, 0)] * times, slack=delta).total()[0]


ROUTES = {
    "sigma": {
        "analytic": lambda **k: _scale(GaussianAnalytic, **k),
        "classic": lambda **k: _scale(Gaussian, **k),
    },
    "laplace_epsilon": {"BudgetAccountant": lambda scale, times, delta: _spent(1 / scale, times, delta)},
    "pure": {"BudgetAccountant": _spent},
}
_NO_SAMPLING = "no sampled Gaussian mechanism"
_NO_CURVE = "its accountant counts promises; no curve, no advantage"
SILENT = {
    "training": _NO_SAMPLING,
    "training_advantage": _NO_SAMPLING,
    "laplace_delta": "its accountant asks for delta first",
    "concentrated": "no zCDP",
    "promise_advantage": _NO_CURVE,
    "gaussian_advantage": _NO_CURVE,
    "concentrated_advantage": _NO_CURVE,
    "concentrated_tpr": _NO_CURVE,
}
