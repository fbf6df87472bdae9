"""Hypothesis-testing numerics: what an attacker can tell apart, and how well.

Every attack on membership is a test between two distributions.  This package
holds the numbers such a test is described by: the privacy curve of the Gaussian
mechanism (``delta`` at ``epsilon``) and its two inverses, the trade-off between
the false and the true positive rate, and the hockey-stick divergence.  Arguments
broadcast; the result is a ``float`` when all of them are.  Limits are values like all
others: noise in [0, inf], a sensitivity in [0, inf).

Accuracy is measured against 60-digit arithmetic: relative errors stay below
1e-12 for ``epsilon`` up to 1e5 and ``delta`` from 1e-300 to 0.99.  The two
calibrations, `gaussian_sigma` and `gaussian_epsilon`, also round to the safe
side: the noise they name never delivers more ``delta`` than was asked for.
"""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.tradeoff.calibrate import gaussian_epsilon, gaussian_sigma
    from mipbook.tradeoff.gaussian import (
        dp_accuracy,
        dp_tpr,
        gaussian_advantage,
        gaussian_delta,
        gaussian_tpr,
        hockey_stick,
    )

__getattr__, __dir__, __all__ = lazy.attach(__name__)
