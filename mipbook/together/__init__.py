"""One release in all readings: from any promise or mechanism to DP, MIP, PMP and MIS.

`translate` takes what is known of a release, a promise such as (epsilon, delta) or a mechanism
with its noise, and returns a `Reading`: the attacker's rates, and the number of each notion with
whether it is exact or a bound.
"""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.together.accountant import (
        certified_advantage,
        certified_delta,
        certified_epsilon,
        certified_sigma,
    )
    from mipbook.together.arrows.kinds import ARROWS, NOTIONS, Arrow, arrow, promised_parameter
    from mipbook.together.arrows.one_half import OneHalf, one_half, one_half_table
    from mipbook.together.arrows.secure import MatchBracket, PowerSums, match_bracket, power_sums
    from mipbook.together.arrows.tags import Tags, tag_release, tag_release_at, tag_weights
    from mipbook.together.arrows.to_security import delta_from_mip, delta_from_pmp
    from mipbook.together.compose.optimal import EpsilonBounds, epsilon_bounds
    from mipbook.together.compose.ordinary import repeated_mean_delta, repeated_mean_eta
    from mipbook.together.compose.releases import composed
    from mipbook.together.compose.secure import coin_deltas, field_deltas
    from mipbook.together.compose.witnesses import (
        TwoReleases,
        block_bit,
        block_etas,
        eta_of_two,
        joint_table,
        member_and_split_etas,
        repeated_table,
    )
    from mipbook.together.forms import translate
    from mipbook.together.inverse import FAMILIES, READINGS, Match, matching
    from mipbook.together.known import (
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
    )
    from mipbook.together.reading import Reading
    from mipbook.together.shadows.few import FEW_ATTACKS, few_shadow_scores
    from mipbook.together.shadows.mean import (
        MEAN_ATTACKS,
        mean_attack_advantage,
        mean_attack_roc,
        mean_attack_tpr,
        people_worth,
    )
    from mipbook.together.trained import from_training
    from mipbook.together.training.beside import limit_epsilon, limit_mu, renyi_epsilon
    from mipbook.together.training.clipping import (
        ClipError,
        best_pareto_clip,
        best_sample_clip,
        normal_clip_error,
        pareto_clip_error,
        pareto_clip_guess,
        sample_clip_error,
    )
    from mipbook.together.training.contour import training_delta, training_epsilon
    from mipbook.together.training.divisor import divisor_advantage
    from mipbook.together.training.drawn import pareto_clip_simulated
    from mipbook.together.training.last import last_model_advantage

__getattr__, __dir__, __all__ = lazy.attach(__name__)
