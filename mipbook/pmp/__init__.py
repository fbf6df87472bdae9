"""Practical membership privacy: what an attacker can tell who knows only the pool.

The pool X has 2n records, n of them are drawn.  The PMP parameter eps~(X) compares the
output's law given that a record was drawn with its law given that it was not.
"""

from mipbook.pmp.conversion import epsilon_from_posterior, eta_from_pmp, success_bound
from mipbook.pmp.estimate import Estimate
from mipbook.pmp.examples import (
    SumCounts,
    answers_table,
    design_bit,
    even_parity,
    modular_sum,
    partition_mechanism,
    publish_one,
)
from mipbook.pmp.exponential import (
    exponential_epsilon,
    exponential_laws,
    exponential_seconds,
    exponential_success,
)
from mipbook.pmp.exponential_normal import exponential_epsilon_normal
from mipbook.pmp.exponential_trial import (
    ExponentialTrial,
    Pool,
    draw_pool,
    exponential_trial,
)
from mipbook.pmp.finite import (
    finite_pmp_delta,
    finite_pmp_epsilon,
    posterior_delta,
    record_epsilons,
)
from mipbook.pmp.finite_dp import finite_dp_delta, finite_dp_epsilon, neighbouring_pairs
from mipbook.pmp.gaussian_average import gaussian_delta_mixture, gaussian_epsilon_mixture
from mipbook.pmp.gaussian_bound import gaussian_delta_bound, gaussian_epsilon_bound
from mipbook.pmp.gaussian_exact import (
    gaussian_delta_exact,
    gaussian_densities,
    gaussian_epsilon_exact,
)
from mipbook.pmp.gaussian_normal import gaussian_epsilon_normal, gaussian_epsilon_projection
from mipbook.pmp.gaussian_readings import READINGS, gaussian_reading, read_figures
from mipbook.pmp.gaussian_sigma import gaussian_sigma_bound
from mipbook.pmp.gaussian_subset import diameter, gaussian_subset_epsilon
from mipbook.pmp.gaussian_trial import (
    GaussianTrial,
    gaussian_pool,
    gaussian_ratios,
    gaussian_sensitivity,
    gaussian_trial,
)
from mipbook.pmp.subsets import epsilon_cap, subset_epsilon
from mipbook.pmp.swap_bound import exponential_epsilon_bound
from mipbook.pmp.swaps import exponential_epsilon_swaps
from mipbook.pmp.sweep import sweep
from mipbook.pmp.tilted import exponential_epsilon_estimate, exponential_epsilon_odds
from mipbook.pmp.worst_case import (
    local_sensitivity,
    norm_losses,
    norm_sensitivity,
    surrogate_epsilon,
    true_epsilon_bound,
)

__all__ = [
    "READINGS",
    "Estimate",
    "ExponentialTrial",
    "GaussianTrial",
    "Pool",
    "SumCounts",
    "answers_table",
    "design_bit",
    "diameter",
    "draw_pool",
    "epsilon_cap",
    "epsilon_from_posterior",
    "eta_from_pmp",
    "even_parity",
    "exponential_epsilon",
    "exponential_epsilon_bound",
    "exponential_epsilon_estimate",
    "exponential_epsilon_normal",
    "exponential_epsilon_odds",
    "exponential_epsilon_swaps",
    "exponential_laws",
    "exponential_seconds",
    "exponential_success",
    "exponential_trial",
    "finite_dp_delta",
    "finite_dp_epsilon",
    "finite_pmp_delta",
    "finite_pmp_epsilon",
    "gaussian_delta_bound",
    "gaussian_delta_exact",
    "gaussian_delta_mixture",
    "gaussian_densities",
    "gaussian_epsilon_bound",
    "gaussian_epsilon_exact",
    "gaussian_epsilon_mixture",
    "gaussian_epsilon_normal",
    "gaussian_epsilon_projection",
    "gaussian_pool",
    "gaussian_ratios",
    "gaussian_reading",
    "gaussian_sensitivity",
    "gaussian_sigma_bound",
    "gaussian_subset_epsilon",
    "gaussian_trial",
    "local_sensitivity",
    "modular_sum",
    "neighbouring_pairs",
    "norm_losses",
    "norm_sensitivity",
    "partition_mechanism",
    "posterior_delta",
    "publish_one",
    "read_figures",
    "record_epsilons",
    "subset_epsilon",
    "success_bound",
    "surrogate_epsilon",
    "sweep",
    "true_epsilon_bound",
]
