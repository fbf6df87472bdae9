"""Ask this book's own package, in the same way as the others."""

from importlib import metadata

from mipbook import accounting, dpsgd, tradeoff
from mipbook.base.rounding import Estimate


def version() -> str:
    """Return the version that answers."""
    return metadata.version("mipbook")


def _laplace(scale: float, times: int) -> accounting.Reading:
    return accounting.composed(accounting.from_laplace(scale), times)


def _ends(found: Estimate) -> tuple[float, float]:
    return found.low, found.high


ROUTES = {
    "sigma": {"analytic": lambda epsilon, delta: tradeoff.gaussian_sigma(epsilon, delta=delta)},
    "training": {
        "contour": lambda **k: dpsgd.training_epsilon(**k),
        "bracket": lambda **k: _ends(dpsgd.certified_epsilon(**k)),
        "Gaussian limit": lambda **k: dpsgd.limit_epsilon(**k),
    },
    "training_advantage": {
        "contour": lambda **k: dpsgd.training_delta(epsilon=0.0, **k),
        "bracket": lambda **k: _ends(dpsgd.certified_advantage(**k)),
        "Gaussian limit": lambda **k: accounting.from_gdp(dpsgd.limit_mu(**k)).advantage.value,
    },
    "laplace_delta": {"exact": lambda epsilon, **k: _laplace(**k).delta(epsilon)},
    "laplace_epsilon": {"exact": lambda delta, **k: _laplace(**k).epsilon(delta)},
    "pure": {
        "exact": lambda epsilon, times, delta: accounting.composed(
            accounting.from_dp(epsilon), times
        ).epsilon(delta)
    },
    "concentrated": {"orders": lambda rho, delta: accounting.from_concentrated(rho).epsilon(delta)},
    "promise_advantage": {
        "formula": lambda epsilon, delta: accounting.from_dp(epsilon, delta).advantage.value
    },
    "gaussian_advantage": {"formula": lambda mu: accounting.from_gaussian(1 / mu).advantage.value},
    "concentrated_advantage": {"formula": lambda rho: accounting.from_concentrated(rho).advantage.value},
    "concentrated_tpr": {"orders": lambda rho, fpr: accounting.from_concentrated(rho).tpr(fpr)},
}
SILENT: dict[str, str] = {}
