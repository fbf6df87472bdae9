"""Membership inference security: what the best attack on a learning procedure can reach."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.mis.discrete.bounds import (
        RATE_HIGH,
        RATE_LIMIT,
        RATE_LOW,
        SecurityBounds,
        least_security,
        rare_atom_bounds,
        records_needed,
        security_bounds,
    )
    from mipbook.mis.discrete.deviation import de_moivre_sum, mean_absolute_deviation
    from mipbook.mis.discrete.diversity import (
        SHANNON_FACTOR,
        DiversityRange,
        diversity,
        diversity_range,
        gini_simpson,
        shannon_entropy,
    )
    from mipbook.mis.discrete.from_counts import (
        jackknife_diversity,
        jackknife_diversity_mean,
        plug_in_diversity,
        plug_in_diversity_mean,
        worst_case_delta_from_counts,
    )
    from mipbook.mis.discrete.power_law import DeltaBounds, power_law_delta, power_law_exponent
    from mipbook.mis.discrete.special_learners import product_delta, sign_learner
    from mipbook.mis.discrete.window import nu_window_limit
    from mipbook.mis.discrete.worst_case import worst_case_delta, worst_case_security
    from mipbook.mis.dp.conversion import DP_BOUNDS, delta_from_dp, epsilon_from_security, security_from_dp
    from mipbook.mis.dp.geometric import geometric_count_delta, geometric_count_laws
    from mipbook.mis.means.constant import universal_constant, universal_constant_from_samples
    from mipbook.mis.means.digits import digit_delta, digit_evidence, digit_sums_of, digit_total
    from mipbook.mis.means.exponential import exponential_mean_delta
    from mipbook.mis.means.gaussian import gaussian_mean_delta, near_gaussians_bound, near_gaussians_tv
    from mipbook.mis.means.many_coordinates import gaussian_mean_delta_approximation
    from mipbook.mis.means.mean_bound import mean_delta_bound, mean_records_needed
    from mipbook.mis.means.moments import mean_variance_delta
    from mipbook.mis.means.noisy import noisy_mean_delta, noisy_mean_deltas
    from mipbook.mis.overfitting.losses import (
        overfitting_fraction,
        overfitting_security,
        stopping_security,
        stopping_threshold,
        worst_losses,
    )
    from mipbook.mis.overfitting.threshold import threshold_advantage, threshold_attack
    from mipbook.mis.security.data_game import Played, play
    from mipbook.mis.security.divergence import divergence, generator, total_variation
    from mipbook.mis.security.enumerated import finite_model, learner_delta
    from mipbook.mis.security.information import histogram_information, pinsker_bound
    from mipbook.mis.security.invariance import estimator_gaps, redundancy_gap, symmetry_gap
    from mipbook.mis.security.model import FiniteModel, Learner
    from mipbook.mis.security.weights import weight_ratio, weights

__getattr__, __dir__, __all__ = lazy.attach(__name__)
