"""Membership inference privacy: conversions, noise, and exact values of eta."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.mip.calibration import (
        calibrate_scale,
        fit_on_halves,
        fits_needed,
        published_release,
        scale_from_fits,
        spread_of,
    )
    from mipbook.mip.conversion import (
        epsilon_from_eta,
        eta_from_dp,
        gaussian_sigma_for_mip,
        laplace_dp_scale,
        noise_scale,
        scale_from_distance,
        smallest_winning_ratio,
    )
    from mipbook.mip.finite import finite_eta, peer_accuracy, record_accuracies, subsets
    from mipbook.mip.grid import Calibration
    from mipbook.mip.laplace import (
        average_sensitivity,
        laplace_eta,
        laplace_posterior,
        largest_sensitivity,
        mean_deviation,
        minimal_laplace_scale,
    )
    from mipbook.mip.mean_game import (
        draw_round,
        noisy_mean_accuracy,
        noisy_mean_line_accuracy,
        noisy_mean_posterior,
        noisy_mean_shares,
        noisy_mean_silent_accuracy,
    )
    from mipbook.mip.norms import cone_directions, delivered_eta, sample_noise, weighted_norm
    from mipbook.mip.reciprocal import (
        noise_crossings,
        reciprocal_absolute_moment,
        reciprocal_data_set,
        reciprocal_log_sensitivity,
        reciprocal_log_spread,
        reciprocal_outputs,
        reciprocal_sensitivity,
        reciprocal_variance,
    )

__getattr__, __dir__, __all__ = lazy.attach(__name__)
