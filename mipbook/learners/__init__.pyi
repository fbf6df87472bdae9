from .base import Learner, Records, below, held_out
from .clipped import ClippedNetwork
from .digits import DigitNetwork
from .experiments import THRESHOLDS, linear_data, sine_data, sphere_points
from .margin import MarginFlow, near_orthogonal
from .min_norm import MinimumNorm, ResidualLaw, mean_loss, residual_law
from .neighbour import NearestNeighbour
from .relu import ReluRegression

__all__ = [
    "THRESHOLDS",
    "ClippedNetwork",
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
