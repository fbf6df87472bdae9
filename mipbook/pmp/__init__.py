"""Practical membership privacy: what an attacker can tell who knows only the pool.

The pool X has 2n records, n of them are drawn.  The PMP parameter eps~(X) compares the
output's distribution given that a record was drawn with its distribution given that it was not.
"""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.pmp.conversion import epsilon_from_posterior, eta_from_pmp, success_bound
    from mipbook.pmp.exponential.dp_everywhere import (
        local_sensitivity,
        norm_losses,
        norm_sensitivity,
        surrogate_epsilon,
        true_epsilon_bound,
    )
    from mipbook.pmp.exponential.dp_on_pool import epsilon_cap, subset_epsilon
    from mipbook.pmp.exponential.exact import (
        exponential_epsilon,
        exponential_laws,
        exponential_risks,
        exponential_seconds,
        exponential_success,
    )
    from mipbook.pmp.exponential.normal import exponential_epsilon_normal
    from mipbook.pmp.exponential.swap_bound import exponential_epsilon_bound
    from mipbook.pmp.exponential.swaps import exponential_epsilon_swaps
    from mipbook.pmp.exponential.tilted import exponential_epsilon_estimate, exponential_epsilon_odds
    from mipbook.pmp.exponential.trial import ExponentialTrial, Pool, draw_pool, exponential_trial
    from mipbook.pmp.finite.dp import finite_dp_delta, finite_dp_epsilon, neighbouring_pairs
    from mipbook.pmp.finite.examples import (
        SumCounts,
        answers_table,
        design_bit,
        even_parity,
        modular_sum,
        partition_mechanism,
        publish_one,
    )
    from mipbook.pmp.finite.parameters import (
        finite_pmp_delta,
        finite_pmp_epsilon,
        posterior_delta,
        record_epsilons,
    )
    from mipbook.pmp.gaussian.bound import gaussian_delta_bound, gaussian_epsilon_bound
    from mipbook.pmp.gaussian.dp_on_pool import diameter, gaussian_subset_epsilon
    from mipbook.pmp.gaussian.exact import gaussian_delta_exact, gaussian_densities, gaussian_epsilon_exact
    from mipbook.pmp.gaussian.mixture_bound import gaussian_delta_mixture, gaussian_epsilon_mixture
    from mipbook.pmp.gaussian.normal import gaussian_epsilon_normal, gaussian_epsilon_projection
    from mipbook.pmp.gaussian.readings import READINGS, gaussian_reading, read_figures
    from mipbook.pmp.gaussian.sigma import gaussian_sigma_bound
    from mipbook.pmp.gaussian.trial import (
        GaussianTrial,
        gaussian_pool,
        gaussian_ratios,
        gaussian_sensitivity,
        gaussian_trial,
    )
    from mipbook.pmp.sweeps import sweep

__getattr__, __dir__, __all__ = lazy.attach(__name__)
