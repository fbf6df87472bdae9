"""Hypothesis-testing numerics: what an attacker can tell apart, and how well.

Every attack on membership is a test between two distributions.  This package
holds the numbers such a test is described by: the privacy curve of the Gaussian
mechanism (``delta`` at ``epsilon``) and its two inverses, the trade-off between
the false and the true positive rate, and the hockey-stick divergence.

Accuracy is measured against 60-digit arithmetic: relative errors stay below
1e-12 for ``epsilon`` up to 1e5 and ``delta`` from 1e-300 to 0.99.  The two
calibrations, `gaussian_sigma` and `gaussian_epsilon`, also round to the safe
side: the noise they name never delivers more ``delta`` than was asked for.
"""

from mipbook.tradeoff.bounds import dp_accuracy, dp_tpr, hockey_stick
from mipbook.tradeoff.calibrate import gaussian_epsilon, gaussian_sigma
from mipbook.tradeoff.gaussian import (
    gaussian_advantage,
    gaussian_delta,
    gaussian_fnr,
    gaussian_tpr,
)

__all__ = [
    "dp_accuracy",
    "dp_tpr",
    "gaussian_advantage",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_fnr",
    "gaussian_sigma",
    "gaussian_tpr",
    "hockey_stick",
]
