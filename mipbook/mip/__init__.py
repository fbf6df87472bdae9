"""Membership inference privacy: conversions, noise, and exact values of eta."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.mip.conversion import epsilon_from_eta, eta_from_dp
    from mipbook.mip.exact.finite import finite_eta, record_accuracies, subsets
    from mipbook.mip.exact.laplace import laplace_eta, minimal_laplace_scale
    from mipbook.mip.exact.mean_game import (
        draw_round,
        noisy_mean_accuracy,
        noisy_mean_line_accuracy,
        noisy_mean_posterior,
    )
    from mipbook.mip.exact.peers import peer_accuracy
    from mipbook.mip.noise.betting import fits_needed
    from mipbook.mip.noise.calibrated import Calibration
    from mipbook.mip.noise.calibration import calibrate_scale, scale_from_fits
    from mipbook.mip.noise.coupling import (
        average_sensitivity,
        bracket_matching,
        gaussian_sigma_for_mip,
        largest_sensitivity,
        mean_deviation,
        scale_from_distance,
        wasserstein,
    )
    from mipbook.mip.noise.delivered import Delivered, delivered_eta
    from mipbook.mip.noise.fits import fit_on_halves
    from mipbook.mip.noise.norms import cone_directions, sample_noise, weighted_norm
    from mipbook.mip.noise.published import published_release
    from mipbook.mip.noise.scale import laplace_dp_scale, noise_scale, smallest_winning_ratio
    from mipbook.mip.reciprocal.crossings import Crossings, noise_crossings
    from mipbook.mip.reciprocal.moments import (
        reciprocal_absolute_moment,
        reciprocal_mean,
        reciprocal_variance,
    )
    from mipbook.mip.reciprocal.query import (
        reciprocal_data_set,
        reciprocal_outputs,
        reciprocal_root,
        reciprocal_sensitivity,
        reciprocal_sums,
    )

__getattr__, __dir__, __all__ = lazy.attach(__name__)
