"""What the last model alone tells of a record whose gradient always points its own way."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import binom

from mipbook.together.training.settings import Training

__all__ = ["last_model_advantage"]


def last_model_advantage(sampling: float, sigma: float, steps: int) -> float:
    """Return the best attacker's advantage when only the last model is seen, and not the steps.

    Parameters
    ----------
    sampling : float
        The chance of each record to be in a step's batch, in [1e-6, 1].
    sigma : float
        The standard deviation of the noise over the clip, in [0.1, 1000].
    steps : int
        In [1, 10000].

    Notes
    -----
    For one record, present or not, whose gradient has the length of the clip and one direction
    that no other gradient shares: the model moves by as many clips as it was drawn, a binomial
    number, in noise of ``sigma * sqrt(steps)``.  Others may be easier to find out.

    Examples
    --------
    >>> round(last_model_advantage(0.1, 1.0, 300), 4)
    0.6033
    """
    training = Training.checked(sampling, sigma, steps, False)
    if training.steps > 10**4:
        training.refuse("with at most 10000 steps")
    counts = np.arange(training.steps + 1)
    chances = binom.pmf(counts, training.steps, training.sampling)
    counts, chances = counts[chances > 0], chances[chances > 0]
    wide = training.sigma * np.sqrt(training.steps)
    logs = np.log(chances) - counts**2 / (2 * wide**2)

    def loss(x: float) -> float:
        return float(np.logaddexp.reduce(logs + counts * x / wide**2))

    edge = float(brentq(loss, -wide, counts[-1] + 0.5))
    return float(chances @ ndtr((counts - edge) / wide) - ndtr(-edge / wide))
