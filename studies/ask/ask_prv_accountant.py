"""Ask Microsoft's prv-accountant, which returns a lower end, an estimate and an upper end."""

from importlib import metadata
from typing import Any

import prv_accountant as prv

_ERROR = 0.01  # of epsilon, a tenth of what its documentation calls typical; of delta a thousandth


def version() -> str:
    """Return the version that answers."""
    return metadata.version("prv-accountant")


def _epsilon(release: Any, times: int, delta: float) -> Any:
    made = prv.PRVAccountant(release, _ERROR, delta / 1000, max_self_compositions=times)
    return made.compute_epsilon(delta, times)


def _delta(release: Any, times: int, epsilon: float) -> Any:
    made = prv.PRVAccountant(release, _ERROR, 1e-10, max_self_compositions=times)
    return made.compute_delta(epsilon, times)


def _sampled(sigma: float, sampling: float) -> Any:
    return prv.PoissonSubsampledGaussianMechanism(sampling, sigma)


def _training(sigma: float, sampling: float, steps: int, delta: float) -> Any:
    return _epsilon(_sampled(sigma, sampling), steps, delta)


def _training_advantage(sigma: float, sampling: float, steps: int) -> Any:
    return _delta(_sampled(sigma, sampling), steps, 0.0)


def _laplace_delta(scale: float, times: int, epsilon: float) -> Any:
    return _delta(prv.LaplaceMechanism(mu=1 / scale), times, epsilon)


def _laplace_epsilon(scale: float, times: int, delta: float) -> Any:
    return _epsilon(prv.LaplaceMechanism(mu=1 / scale), times, delta)


def _pure(epsilon: float, times: int, delta: float) -> Any:
    return _epsilon(prv.PureDPMechanism(epsilon), times, delta)


def _gaussian_advantage(mu: float) -> Any:
    return _delta(prv.GaussianMechanism(1 / mu), 1, 0.0)


def _promise_advantage(epsilon: float, delta: float) -> Any:
    return _delta(prv.ApproximateDPMechanism(epsilon, delta), 1, 0.0)


_ASKED = {
    "training": _training,
    "training_advantage": _training_advantage,
    "laplace_delta": _laplace_delta,
    "laplace_epsilon": _laplace_epsilon,
    "pure": _pure,
    "gaussian_advantage": _gaussian_advantage,
    "promise_advantage": _promise_advantage,
}
ROUTES = {family: {"bracket": function} for family, function in _ASKED.items()}
_NO_ZCDP = "no zCDP"
SILENT = {
    "sigma": "it accounts for noise that is given; no function chooses the noise",
    "concentrated": _NO_ZCDP,
    "concentrated_advantage": _NO_ZCDP,
    "concentrated_tpr": _NO_ZCDP,
}
