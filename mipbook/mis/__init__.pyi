from .discrete.bounds import (
    RATE_HIGH,
    RATE_LIMIT,
    RATE_LOW,
    SecurityBounds,
    least_security,
    rare_atom_bounds,
    records_needed,
    security_bounds,
)
from .discrete.deviation import de_moivre_sum, mean_absolute_deviation
from .discrete.diversity import (
    SHANNON_FACTOR,
    DiversityRange,
    diversity,
    diversity_range,
    gini_simpson,
    shannon_entropy,
)
from .discrete.from_counts import (
    jackknife_diversity,
    jackknife_diversity_mean,
    plug_in_diversity,
    plug_in_diversity_mean,
    worst_case_delta_from_counts,
)
from .discrete.power_law import DeltaBounds, power_law_delta, power_law_exponent
from .discrete.special_learners import product_delta, sign_learner
from .discrete.window import nu_window_limit
from .discrete.worst_case import worst_case_delta, worst_case_security
from .dp.conversion import DP_BOUNDS, delta_from_dp, epsilon_from_security, security_from_dp
from .dp.geometric import geometric_count_delta, geometric_count_laws
from .means.constant import universal_constant, universal_constant_from_samples
from .means.digits import digit_delta, digit_evidence, digit_sums_of, digit_total
from .means.exponential import exponential_mean_delta
from .means.gaussian import gaussian_mean_delta, near_gaussians_bound, near_gaussians_tv
from .means.many_coordinates import gaussian_mean_delta_approximation
from .means.mean_bound import mean_delta_bound, mean_records_needed
from .means.moments import mean_variance_delta
from .means.noisy import noisy_mean_delta, noisy_mean_deltas
from .overfitting.losses import (
    overfitting_fraction,
    overfitting_security,
    stopping_security,
    stopping_threshold,
    worst_losses,
)
from .overfitting.threshold import threshold_advantage, threshold_attack
from .security.data_game import Played, play
from .security.divergence import divergence, generator, total_variation
from .security.enumerated import finite_model, learner_delta
from .security.information import histogram_information, pinsker_bound
from .security.invariance import estimator_gaps, redundancy_gap, symmetry_gap
from .security.model import FiniteModel, Learner
from .security.weights import weight_ratio, weights

__all__ = [
    "DP_BOUNDS",
    "RATE_HIGH",
    "RATE_LIMIT",
    "RATE_LOW",
    "SHANNON_FACTOR",
    "DeltaBounds",
    "DiversityRange",
    "FiniteModel",
    "Learner",
    "Played",
    "SecurityBounds",
    "de_moivre_sum",
    "delta_from_dp",
    "digit_delta",
    "digit_evidence",
    "digit_sums_of",
    "digit_total",
    "divergence",
    "diversity",
    "diversity_range",
    "epsilon_from_security",
    "estimator_gaps",
    "exponential_mean_delta",
    "finite_model",
    "gaussian_mean_delta",
    "gaussian_mean_delta_approximation",
    "generator",
    "geometric_count_delta",
    "geometric_count_laws",
    "gini_simpson",
    "histogram_information",
    "jackknife_diversity",
    "jackknife_diversity_mean",
    "learner_delta",
    "least_security",
    "mean_absolute_deviation",
    "mean_delta_bound",
    "mean_records_needed",
    "mean_variance_delta",
    "near_gaussians_bound",
    "near_gaussians_tv",
    "noisy_mean_delta",
    "noisy_mean_deltas",
    "nu_window_limit",
    "overfitting_fraction",
    "overfitting_security",
    "pinsker_bound",
    "play",
    "plug_in_diversity",
    "plug_in_diversity_mean",
    "power_law_delta",
    "power_law_exponent",
    "product_delta",
    "rare_atom_bounds",
    "records_needed",
    "redundancy_gap",
    "security_bounds",
    "security_from_dp",
    "shannon_entropy",
    "sign_learner",
    "stopping_security",
    "stopping_threshold",
    "symmetry_gap",
    "threshold_advantage",
    "threshold_attack",
    "total_variation",
    "universal_constant",
    "universal_constant_from_samples",
    "weight_ratio",
    "weights",
    "worst_case_delta",
    "worst_case_delta_from_counts",
    "worst_case_security",
    "worst_losses",
]
