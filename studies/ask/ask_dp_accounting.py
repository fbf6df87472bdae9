"""Ask Google's dp-accounting."""

from importlib import metadata
from typing import Any

import dp_accounting
from dp_accounting import rdp
from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as pld


def version() -> str:
    """Return the version that answers."""
    return metadata.version("dp-accounting")


def _sampled(sigma: float, sampling: float, steps: int) -> Any:
    return pld.from_gaussian_mechanism(sigma, sampling_prob=sampling).self_compose(steps)


def _sampled_rdp(sigma: float, sampling: float, steps: int, delta: float) -> Any:
    accountant = rdp.RdpAccountant()
    step = dp_accounting.GaussianDpEvent(sigma)
    accountant.compose(dp_accounting.PoissonSampledDpEvent(sampling, step), steps)
    return accountant.get_epsilon(delta)


def _laplace(scale: float, times: int) -> Any:
    return pld.from_laplace_mechanism(scale).self_compose(times)


def _laplace_rdp(scale: float, times: int, delta: float) -> Any:
    accountant = rdp.RdpAccountant()
    accountant.compose(dp_accounting.LaplaceDpEvent(scale), times)
    return accountant.get_epsilon(delta)


def _pure(epsilon: float, times: int, delta: float) -> Any:
    promise = common.DifferentialPrivacyParameters(epsilon, 0)
    return pld.from_privacy_parameters(promise).self_compose(times).get_epsilon_for_delta(delta)


def _concentrated(rho: float, delta: float) -> Any:
    accountant = rdp.RdpAccountant()
    accountant.compose(dp_accounting.ZCDpEvent(rho))
    return accountant.get_epsilon(delta)


def _promise_advantage(epsilon: float, delta: float) -> Any:
    promise = common.DifferentialPrivacyParameters(epsilon, delta)
    return pld.from_privacy_parameters(promise).get_delta_for_epsilon(0.0)


ROUTES = {
    "sigma": {"analytic": lambda epsilon, delta: dp_accounting.get_sigma_gaussian(epsilon, delta)},
    "training": {"PLD": lambda delta, **k: _sampled(**k).get_epsilon_for_delta(delta), "RDP": _sampled_rdp},
    "training_advantage": {"PLD": lambda **k: _sampled(**k).get_delta_for_epsilon(0.0)},
    "laplace_delta": {"PLD": lambda epsilon, **k: _laplace(**k).get_delta_for_epsilon(epsilon)},
    "laplace_epsilon": {
        "PLD": lambda delta, **k: _laplace(**k).get_epsilon_for_delta(delta),
        "RDP": _laplace_rdp,
    },
    "pure": {"PLD": _pure},
    "concentrated": {"RDP": _concentrated},
    "promise_advantage": {"PLD": _promise_advantage},
    "gaussian_advantage": {"PLD": lambda mu: pld.from_gaussian_mechanism(1 / mu).get_delta_for_epsilon(0.0)},
}
_NO_CURVE = "no function for the advantage or the true positive rate of a zCDP promise"
SILENT = {"concentrated_advantage": _NO_CURVE, "concentrated_tpr": _NO_CURVE}
