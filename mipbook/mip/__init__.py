"""Membership inference privacy: conversions, noise, and exact values of eta."""

from mipbook.mip.conversion import epsilon_from_eta, eta_from_dp
from mipbook.mip.crossings import Crossings, noise_crossings
from mipbook.mip.laplace import laplace_eta, minimal_laplace_scale
from mipbook.mip.mean_game import draw_round, noisy_mean_accuracy, noisy_mean_posterior
from mipbook.mip.noise_scale import laplace_dp_scale, noise_scale, smallest_winning_ratio
from mipbook.mip.reciprocal import (
    reciprocal_absolute_moment,
    reciprocal_data_set,
    reciprocal_mean,
    reciprocal_outputs,
    reciprocal_root,
    reciprocal_sensitivity,
    reciprocal_variance,
)

__all__ = [
    "Crossings",
    "draw_round",
    "epsilon_from_eta",
    "eta_from_dp",
    "laplace_dp_scale",
    "laplace_eta",
    "minimal_laplace_scale",
    "noise_crossings",
    "noise_scale",
    "noisy_mean_accuracy",
    "noisy_mean_posterior",
    "reciprocal_absolute_moment",
    "reciprocal_data_set",
    "reciprocal_mean",
    "reciprocal_outputs",
    "reciprocal_root",
    "reciprocal_sensitivity",
    "reciprocal_variance",
    "smallest_winning_ratio",
]
