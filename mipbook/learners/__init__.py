"""Learners whose per-record losses can be watched, and the data they are trained on."""

from mipbook.learners.base import Learner, Records, below, held_out
from mipbook.learners.digits import DigitNetwork
from mipbook.learners.experiments import THRESHOLDS, linear_data, sine_data, sphere_points
from mipbook.learners.margin import MarginFlow, near_orthogonal
from mipbook.learners.min_norm import MinimumNorm, ResidualLaw, mean_loss, residual_law
from mipbook.learners.neighbour import NearestNeighbour
from mipbook.learners.relu import ReluRegression

__all__ = [
    "THRESHOLDS",
    "DigitNetwork",
    "Learner",
    "MarginFlow",
    "MinimumNorm",
    "NearestNeighbour",
    "Records",
    "ReluRegression",
    "ResidualLaw",
    "below",
    "held_out",
    "linear_data",
    "mean_loss",
    "near_orthogonal",
    "residual_law",
    "sine_data",
    "sphere_points",
]
