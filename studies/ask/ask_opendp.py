"""Ask OpenDP: measurements whose privacy maps are told by zCDP, or by pure DP."""

from importlib import metadata
from typing import Any

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious", "floating-point")
_NUMBER = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)


def version() -> str:
    """Return the version that answers."""
    return metadata.version("opendp")


def _sigma(epsilon: float, delta: float) -> Any:
    def made(scale: float) -> Any:
        noisy = dp.m.make_gaussian(*_NUMBER, scale=scale)
        return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(noisy), delta)

    return dp.binary_search_param(made, d_in=1.0, d_out=(epsilon, delta), T=float)


def _profile(measurement: Any) -> Any:
    return dp.c.make_zCDP_to_approxDP(measurement).map(1.0)


def _laplace(scale: float, times: int) -> Any:
    return dp.c.make_composition([dp.m.make_laplace(*_NUMBER, scale=scale)] * times)


def _laplace_zcdp(scale: float, times: int) -> Any:
    each = dp.c.make_pureDP_to_zCDP(dp.m.make_laplace(*_NUMBER, scale=scale))
    return _profile(dp.c.make_composition([each] * times))


def _gaussian(rho: float) -> Any:
    return _profile(dp.m.make_gaussian(*_NUMBER, scale=(2 * rho) ** -0.5))


ROUTES = {
    "sigma": {"zCDP": _sigma},
    "laplace_delta": {"zCDP": lambda epsilon, **k: _laplace_zcdp(**k).delta(epsilon)},
    "laplace_epsilon": {
        "sum": lambda delta, **k: _laplace(**k).map(1.0),
        "zCDP": lambda delta, **k: _laplace_zcdp(**k).epsilon(delta),
    },
    "pure": {"sum": lambda epsilon, times, delta: _laplace(1 / epsilon, times).map(1.0)},
    "concentrated": {"zCDP": lambda rho, delta: _gaussian(rho).epsilon(delta)},
    "gaussian_advantage": {"zCDP": lambda mu: _gaussian(mu**2 / 2).delta(0.0)},
    "concentrated_advantage": {"zCDP": lambda rho: _gaussian(rho).delta(0.0)},
}
_NO_SAMPLING = "no sampled Gaussian mechanism"
SILENT = {
    "training": _NO_SAMPLING,
    "training_advantage": _NO_SAMPLING,
    "promise_advantage": "no function for the advantage of a bare (epsilon, delta) promise",
    "concentrated_tpr": "its profile tells delta and epsilon, not error rates",
}
