"""What one release means in every notion, and many of them together.

`translate` takes what is known of a release, a promise such as (epsilon, delta) or a mechanism
with its noise, and returns a `Reading`: the attacker's rates, and the number of each notion with
whether it is exact or a bound.
"""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.accounting.composition import (
        block_bit,
        block_etas,
        composed,
        epsilon_bounds,
        eta_of_two,
        field_deltas,
        joint_table,
        member_and_split_etas,
        repeated_mean_delta,
        repeated_mean_eta,
        repeated_table,
    )
    from mipbook.accounting.implications import (
        ARROWS,
        NOTIONS,
        arrow,
        delta_from_mip,
        delta_from_pmp,
        match_bracket,
        one_half,
        one_half_table,
        power_sums,
        promised_parameter,
        tag_release,
        tag_release_at,
        tag_weights,
    )
    from mipbook.accounting.known import (
        FAMILIES,
        READINGS,
        from_concentrated,
        from_dp,
        from_gaussian,
        from_gdp,
        from_geometric,
        from_laplace,
        from_randomised_response,
        from_renyi,
        from_subsampled_gaussian,
        from_table,
        matching,
        translate,
    )
    from mipbook.accounting.reading import Reading

__getattr__, __dir__, __all__ = lazy.attach(__name__)
