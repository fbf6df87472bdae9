"""Learners whose per-record losses can be watched, and the data they are trained on."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.learners.base import Learner, Records, below, held_out
    from mipbook.learners.clipped import ClippedNetwork
    from mipbook.learners.digits import DigitNetwork
    from mipbook.learners.experiments import THRESHOLDS, linear_data, sine_data, sphere_points
    from mipbook.learners.margin import MarginFlow, near_orthogonal
    from mipbook.learners.min_norm import MinimumNorm, ResidualLaw, mean_loss, residual_law
    from mipbook.learners.neighbour import NearestNeighbour
    from mipbook.learners.relu import ReluRegression

__getattr__, __dir__, __all__ = lazy.attach(__name__)
