from .conversion import epsilon_from_eta, eta_from_dp
from .exact.finite import finite_eta, record_accuracies, subsets
from .exact.laplace import laplace_eta, minimal_laplace_scale
from .exact.mean_game import (
    draw_round,
    noisy_mean_accuracy,
    noisy_mean_line_accuracy,
    noisy_mean_posterior,
)
from .exact.peers import peer_accuracy
from .noise.betting import fits_needed
from .noise.calibrated import Calibration
from .noise.calibration import calibrate_scale, scale_from_fits
from .noise.coupling import (
    average_sensitivity,
    bracket_matching,
    gaussian_sigma_for_mip,
    largest_sensitivity,
    mean_deviation,
    scale_from_distance,
    wasserstein,
)
from .noise.delivered import Delivered, delivered_eta
from .noise.fits import fit_on_halves
from .noise.norms import cone_directions, sample_noise, weighted_norm
from .noise.published import published_release
from .noise.scale import laplace_dp_scale, noise_scale, smallest_winning_ratio
from .reciprocal.crossings import Crossings, noise_crossings
from .reciprocal.moments import (
    reciprocal_absolute_moment,
    reciprocal_mean,
    reciprocal_variance,
)
from .reciprocal.query import (
    reciprocal_data_set,
    reciprocal_outputs,
    reciprocal_root,
    reciprocal_sensitivity,
    reciprocal_sums,
)

__all__ = [
    "Calibration",
    "Crossings",
    "Delivered",
    "average_sensitivity",
    "bracket_matching",
    "calibrate_scale",
    "cone_directions",
    "delivered_eta",
    "draw_round",
    "epsilon_from_eta",
    "eta_from_dp",
    "finite_eta",
    "fit_on_halves",
    "fits_needed",
    "gaussian_sigma_for_mip",
    "laplace_dp_scale",
    "laplace_eta",
    "largest_sensitivity",
    "mean_deviation",
    "minimal_laplace_scale",
    "noise_crossings",
    "noise_scale",
    "noisy_mean_accuracy",
    "noisy_mean_line_accuracy",
    "noisy_mean_posterior",
    "peer_accuracy",
    "published_release",
    "reciprocal_absolute_moment",
    "reciprocal_data_set",
    "reciprocal_mean",
    "reciprocal_outputs",
    "reciprocal_root",
    "reciprocal_sensitivity",
    "reciprocal_sums",
    "reciprocal_variance",
    "record_accuracies",
    "sample_noise",
    "scale_from_distance",
    "scale_from_fits",
    "smallest_winning_ratio",
    "subsets",
    "wasserstein",
    "weighted_norm",
]
