from .accountant import (
    certified_advantage,
    certified_delta,
    certified_epsilon,
    certified_sigma,
)
from .arrows.kinds import ARROWS, NOTIONS, Arrow, arrow, promised_parameter
from .arrows.one_half import OneHalf, one_half, one_half_table
from .arrows.secure import MatchBracket, PowerSums, match_bracket, power_sums
from .arrows.tags import Tags, tag_release, tag_release_at, tag_weights
from .arrows.to_security import delta_from_mip, delta_from_pmp
from .compose.optimal import EpsilonBounds, epsilon_bounds
from .compose.ordinary import repeated_mean_delta, repeated_mean_eta
from .compose.releases import composed
from .compose.secure import coin_deltas, field_deltas
from .compose.witnesses import (
    TwoReleases,
    block_bit,
    block_etas,
    eta_of_two,
    joint_table,
    member_and_split_etas,
    repeated_table,
)
from .forms import translate
from .inverse import FAMILIES, READINGS, Match, matching
from .known import (
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
from .reading import Reading
from .shadows.few import FEW_ATTACKS, few_shadow_scores
from .shadows.mean import (
    MEAN_ATTACKS,
    mean_attack_advantage,
    mean_attack_roc,
    mean_attack_tpr,
    people_worth,
)
from .trained import from_training
from .training.beside import limit_epsilon, limit_mu, renyi_epsilon
from .training.clipping import (
    ClipError,
    best_pareto_clip,
    best_sample_clip,
    normal_clip_error,
    pareto_clip_error,
    pareto_clip_guess,
    sample_clip_error,
)
from .training.contour import training_delta, training_epsilon
from .training.divisor import divisor_advantage
from .training.drawn import pareto_clip_simulated
from .training.last import last_model_advantage

__all__ = [
    "ARROWS",
    "FAMILIES",
    "FEW_ATTACKS",
    "MEAN_ATTACKS",
    "NOTIONS",
    "READINGS",
    "Arrow",
    "ClipError",
    "EpsilonBounds",
    "Match",
    "MatchBracket",
    "OneHalf",
    "PowerSums",
    "Reading",
    "Tags",
    "TwoReleases",
    "arrow",
    "best_pareto_clip",
    "best_sample_clip",
    "block_bit",
    "block_etas",
    "certified_advantage",
    "certified_delta",
    "certified_epsilon",
    "certified_sigma",
    "coin_deltas",
    "composed",
    "delta_from_mip",
    "delta_from_pmp",
    "divisor_advantage",
    "epsilon_bounds",
    "eta_of_two",
    "few_shadow_scores",
    "field_deltas",
    "from_concentrated",
    "from_dp",
    "from_gaussian",
    "from_gdp",
    "from_geometric",
    "from_laplace",
    "from_randomised_response",
    "from_renyi",
    "from_subsampled_gaussian",
    "from_table",
    "from_training",
    "joint_table",
    "last_model_advantage",
    "limit_epsilon",
    "limit_mu",
    "match_bracket",
    "matching",
    "mean_attack_advantage",
    "mean_attack_roc",
    "mean_attack_tpr",
    "member_and_split_etas",
    "normal_clip_error",
    "one_half",
    "one_half_table",
    "pareto_clip_error",
    "pareto_clip_guess",
    "pareto_clip_simulated",
    "people_worth",
    "power_sums",
    "promised_parameter",
    "renyi_epsilon",
    "repeated_mean_delta",
    "repeated_mean_eta",
    "repeated_table",
    "sample_clip_error",
    "tag_release",
    "tag_release_at",
    "tag_weights",
    "training_delta",
    "training_epsilon",
    "translate",
]
