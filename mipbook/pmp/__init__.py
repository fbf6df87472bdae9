"""Practical membership privacy: what an attacker can tell who knows only the pool.

The pool X has 2n records, n of them are drawn.  The PMP parameter eps~(X) compares the
output's distribution given that a record was drawn with its distribution given that it was not.
"""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.pmp.exponential import (
        epsilon_cap,
        exponential_epsilon,
        exponential_epsilon_bound,
        exponential_laws,
        exponential_risks,
        local_sensitivity,
        norm_losses,
        norm_sensitivity,
        subset_epsilon,
        surrogate_epsilon,
        true_epsilon_bound,
    )
    from mipbook.pmp.exponential_estimates import exponential_epsilon_estimate
    from mipbook.pmp.finite import (
        answers_table,
        design_bit,
        epsilon_from_posterior,
        eta_from_pmp,
        finite_dp_delta,
        finite_dp_epsilon,
        finite_pmp_delta,
        finite_pmp_epsilon,
        modular_sum,
        neighbouring_pairs,
        partition_mechanism,
        posterior_delta,
        publish_one,
        record_epsilons,
        success_bound,
    )
    from mipbook.pmp.gaussian_bound import gaussian_delta_bound, gaussian_epsilon_bound, gaussian_sigma_bound
    from mipbook.pmp.gaussian_exact import (
        gaussian_delta_exact,
        gaussian_densities,
        gaussian_epsilon_exact,
        gaussian_epsilon_mixture,
        gaussian_epsilon_normal,
        gaussian_epsilon_projection,
    )
    from mipbook.pmp.gaussian_rows import diameter, gaussian_subset_epsilon
    from mipbook.pmp.trials import (
        READINGS,
        GaussianTrial,
        Pool,
        draw_pool,
        exponential_trial,
        gaussian_pool,
        gaussian_ratios,
        gaussian_reading,
        gaussian_sensitivity,
        gaussian_trial,
        read_figures,
        sweep,
    )

__getattr__, __dir__, __all__ = lazy.attach(__name__)
