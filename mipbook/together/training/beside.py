"""What else is said of training by noisy gradients: a looser bound, and an approximation."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from explorable import validate
from mipbook.together.training.settings import Training
from mipbook.tradeoff import gaussian_epsilon

__all__ = ["limit_epsilon", "limit_mu", "renyi_epsilon"]

_LEAST_DELTA = 1e-10


def renyi_epsilon(sampling: float, sigma: float, steps: int, delta: float) -> float:
    """Return the epsilon that accounting by Rényi divergences promises: an upper bound.

    Parameters
    ----------
    sampling, sigma, steps
        As in `certified_epsilon`.
    delta : float
        In [1e-10, 1).

    Notes
    -----
    For records that are added or removed; the package dp-accounting, with its own orders.

    References
    ----------
    I. Mironov, K. Talwar and L. Zhang, "Rényi Differential Privacy of the Sampled Gaussian
    Mechanism", 2019.

    Examples
    --------
    >>> round(renyi_epsilon(0.1, 2.0, 100, 1e-5), 4)
    2.5806
    """
    training = Training.checked(sampling, sigma, steps, False)
    delta = validate.number("delta", delta, _LEAST_DELTA, 1.0, open_high=True)
    import dp_accounting  # a second to load, and an extra of the package

    event = dp_accounting.GaussianDpEvent(training.sigma)
    if training.sampling < 1.0:
        event = dp_accounting.PoissonSampledDpEvent(training.sampling, event)
    with warnings.catch_warnings(), _silent():
        account = dp_accounting.rdp.RdpAccountant()
        account.compose(dp_accounting.SelfComposedDpEvent(event, training.steps))
        return float(max(account.get_epsilon(delta), 0.0))


@contextmanager
def _silent() -> Iterator[None]:
    """Keep the accountant from logging which orders it leaves out: fewer orders bound as well."""
    warnings.simplefilter("ignore")
    logger = logging.getLogger("absl")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def limit_mu(sampling: float, sigma: float, steps: int) -> float:
    """Return the mu of the Gaussian that training by noisy gradients comes near: no bound.

    Parameters
    ----------
    sampling, sigma, steps
        As in `certified_epsilon`.

    Notes
    -----
    The limit for many steps with ``sampling`` falling as one over the root of their number.

    References
    ----------
    Z. Bu, J. Dong, Q. Long and W. Su, "Deep Learning with Gaussian Differential Privacy", Harvard
    Data Science Review 2020.

    Examples
    --------
    >>> round(limit_mu(256 / 60000, 1.1, 14062), 6)
    0.573581
    """
    training = Training.checked(sampling, sigma, steps, False)
    return float(training.sampling * np.sqrt(training.steps * np.expm1(training.sigma**-2)))


def limit_epsilon(sampling: float, sigma: float, steps: int, delta: float) -> float:
    """Return the epsilon at a delta of the Gaussian limit: an approximation, too low at times.

    Parameters
    ----------
    sampling, sigma, steps
        As in `certified_epsilon`.
    delta : float
        In [1e-10, 1].

    Notes
    -----
    For records that are added or removed.  Where few steps make large losses it falls short of
    the truth by more than half, so it certifies nothing.

    Examples
    --------
    >>> round(limit_epsilon(0.01, 0.7, 100, 1e-5), 4)
    0.9621
    """
    mu = limit_mu(sampling, sigma, steps)
    delta = validate.number("delta", delta, _LEAST_DELTA, 1.0)
    return float(gaussian_epsilon(delta, 1.0 / mu))
