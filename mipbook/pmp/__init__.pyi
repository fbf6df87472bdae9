from .conversion import epsilon_from_posterior, eta_from_pmp, success_bound
from .exponential.dp_everywhere import (
    local_sensitivity,
    norm_losses,
    norm_sensitivity,
    surrogate_epsilon,
    true_epsilon_bound,
)
from .exponential.dp_on_pool import epsilon_cap, subset_epsilon
from .exponential.exact import (
    exponential_epsilon,
    exponential_laws,
    exponential_risks,
    exponential_seconds,
    exponential_success,
)
from .exponential.normal import exponential_epsilon_normal
from .exponential.swap_bound import exponential_epsilon_bound
from .exponential.swaps import exponential_epsilon_swaps
from .exponential.tilted import exponential_epsilon_estimate, exponential_epsilon_odds
from .exponential.trial import ExponentialTrial, Pool, draw_pool, exponential_trial
from .finite.dp import finite_dp_delta, finite_dp_epsilon, neighbouring_pairs
from .finite.examples import (
    SumCounts,
    answers_table,
    design_bit,
    even_parity,
    modular_sum,
    partition_mechanism,
    publish_one,
)
from .finite.parameters import (
    finite_pmp_delta,
    finite_pmp_epsilon,
    posterior_delta,
    record_epsilons,
)
from .gaussian.bound import gaussian_delta_bound, gaussian_epsilon_bound
from .gaussian.dp_on_pool import diameter, gaussian_subset_epsilon
from .gaussian.exact import gaussian_delta_exact, gaussian_densities, gaussian_epsilon_exact
from .gaussian.mixture_bound import gaussian_delta_mixture, gaussian_epsilon_mixture
from .gaussian.normal import gaussian_epsilon_normal, gaussian_epsilon_projection
from .gaussian.readings import READINGS, gaussian_reading, read_figures
from .gaussian.sigma import gaussian_sigma_bound
from .gaussian.trial import (
    GaussianTrial,
    gaussian_pool,
    gaussian_ratios,
    gaussian_sensitivity,
    gaussian_trial,
)
from .sweeps import sweep

__all__ = [
    "READINGS",
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
    "exponential_risks",
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
