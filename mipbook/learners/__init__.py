"""Learners whose per-record losses can be watched, and the data they are trained on."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.learners.base import THRESHOLDS, Records, below, linear_data, sine_data
    from mipbook.learners.classifiers import ClippedNetwork, DigitNetwork
    from mipbook.learners.interpolating import (
        MinimumNorm,
        NearestNeighbour,
        descended,
        neighbour_below,
        residual_law,
    )
    from mipbook.learners.relu import ReluRegression

__getattr__, __dir__, __all__ = lazy.attach(__name__)
