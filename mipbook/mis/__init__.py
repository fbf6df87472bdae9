"""Membership inference security: what the best attack on a learning procedure can reach."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.mis.binomial import mean_absolute_deviation
    from mipbook.mis.discrete import (
        RATE_HIGH,
        RATE_LIMIT,
        RATE_LOW,
        SHANNON_FACTOR,
        diversity,
        diversity_range,
        gini_simpson,
        jackknife_diversity,
        jackknife_diversity_mean,
        plug_in_diversity,
        plug_in_diversity_mean,
        power_law_delta,
        power_law_exponent,
        product_delta,
        rare_atom_bounds,
        records_needed,
        security_bounds,
        shannon_entropy,
        sign_learner,
        worst_case_delta,
        worst_case_security,
    )
    from mipbook.mis.finite import (
        Learner,
        digit_delta,
        digit_sums_of,
        digit_total,
        finite_model,
        geometric_count_delta,
        geometric_count_laws,
        histogram_information,
        learner_delta,
        pinsker_bound,
        play,
    )
    from mipbook.mis.mean_attacks import (
        MEAN_ATTACKS,
        few_shadow_scores,
        mean_attack_advantage,
        mean_attack_roc,
        mean_attack_tpr,
        people_worth,
    )
    from mipbook.mis.means import (
        gaussian_mean_delta,
        gaussian_mean_delta_approximation,
        mean_delta_bound,
        mean_records_needed,
        mean_variance_delta,
        near_gaussians_bound,
        near_gaussians_tv,
        noisy_mean_deltas,
        universal_constant,
        universal_constant_from_samples,
    )
    from mipbook.mis.notion import (
        DP_BOUNDS,
        delta_from_dp,
        divergence,
        epsilon_from_security,
        generator,
        redundancy_gap,
        security_from_dp,
        symmetry_gap,
        total_variation,
        weight_ratio,
        weights,
    )
    from mipbook.mis.overfitting import (
        overfitting_fraction,
        overfitting_security,
        stopping_security,
        stopping_threshold,
        threshold_advantage,
        threshold_attack,
        worst_losses,
    )

__getattr__, __dir__, __all__ = lazy.attach(__name__)
