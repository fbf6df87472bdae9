from .arrows.kinds import ARROWS, NOTIONS, Arrow, arrow, promised_parameter
from .arrows.one_half import OneHalf, one_half, one_half_table
from .arrows.secure import MatchBracket, PowerSums, match_bracket, power_sums
from .arrows.tags import Tags, tag_release, tag_weights
from .arrows.to_security import delta_from_mip, delta_from_pmp
from .forms import translate
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
from .matching import FAMILIES, READINGS, Match, matching
from .reading import Reading
from .shadows.few import FEW_ATTACKS, few_shadow_scores
from .shadows.mean import (
    MEAN_ATTACKS,
    mean_attack_advantage,
    mean_attack_roc,
    mean_attack_tpr,
    people_worth,
)

__all__ = [
    "ARROWS",
    "FAMILIES",
    "FEW_ATTACKS",
    "MEAN_ATTACKS",
    "NOTIONS",
    "READINGS",
    "Arrow",
    "Match",
    "MatchBracket",
    "OneHalf",
    "PowerSums",
    "Reading",
    "Tags",
    "arrow",
    "delta_from_mip",
    "delta_from_pmp",
    "few_shadow_scores",
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
    "match_bracket",
    "matching",
    "mean_attack_advantage",
    "mean_attack_roc",
    "mean_attack_tpr",
    "one_half",
    "one_half_table",
    "people_worth",
    "power_sums",
    "promised_parameter",
    "tag_release",
    "tag_weights",
    "translate",
]
