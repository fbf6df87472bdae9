"""Ask autodp."""

from importlib import metadata
from typing import Any

from autodp import calibrator_zoo, mechanism_zoo, rdp_acct, rdp_bank, transformer_zoo


def version() -> str:
    """Return the version that answers."""
    return metadata.version("autodp")


def _sigma(epsilon: float, delta: float) -> Any:
    calibrate = calibrator_zoo.ana_gaussian_calibrator()
    return calibrate(mechanism_zoo.ExactGaussianMechanism, epsilon, delta).params["sigma"]


def _training(sigma: float, sampling: float, steps: int, delta: float) -> Any:
    step = mechanism_zoo.ExactGaussianMechanism(sigma)
    step.replace_one = False
    sampled = transformer_zoo.AmplificationBySampling(PoissonSampling=True)
    each = sampled(step, sampling, improved_bound_flag=True)
    return transformer_zoo.Composition()([each], [steps]).get_approxDP(delta)


def _training_older(sigma: float, sampling: float, steps: int, delta: float) -> Any:
    accountant = rdp_acct.anaRDPacct()
    step = lambda order: rdp_bank.RDP_gaussian({"sigma": sigma}, order)  # noqa: E731
    accountant.compose_poisson_subsampled_mechanisms(step, sampling, coeff=steps)
    return accountant.get_eps(delta)


def _laplace(scale: float, times: int) -> Any:
    return transformer_zoo.Composition()([mechanism_zoo.LaplaceMechanism(scale)], [times])


def _pure(epsilon: float, times: int, delta: float) -> Any:
    each = mechanism_zoo.PureDP_Mechanism(epsilon)
    return transformer_zoo.Composition()([each], [times]).get_approxDP(delta)


def _advantage(mechanism: Any) -> Any:
    return mechanism.get_approx_delta(0.0)


ROUTES = {
    "sigma": {"analytic": _sigma},
    "training": {"RDP sampling": _training, "RDP anaRDPacct": _training_older},
    "laplace_delta": {"RDP": lambda epsilon, **k: _laplace(**k).get_approx_delta(epsilon)},
    "laplace_epsilon": {"RDP": lambda delta, **k: _laplace(**k).get_approxDP(delta)},
    "pure": {"RDP": _pure},
    "concentrated": {"RDP": lambda rho, delta: mechanism_zoo.zCDP_Mechanism(rho).get_approxDP(delta)},
    "gaussian_advantage": {"RDP": lambda mu: _advantage(mechanism_zoo.ExactGaussianMechanism(1 / mu))},
    "concentrated_advantage": {"RDP": lambda rho: _advantage(mechanism_zoo.zCDP_Mechanism(rho))},
    "concentrated_tpr": {"f-DP": lambda rho, fpr: 1 - mechanism_zoo.zCDP_Mechanism(rho).get_fDP(fpr)},
}
_NO_DELTA = "no function that reads the advantage of"
SILENT = {
    "training_advantage": f"{_NO_DELTA} sampled training closer than RDP",
    "promise_advantage": f"{_NO_DELTA} an (epsilon, delta) promise",
}
