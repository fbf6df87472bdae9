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

__all__ = [
    "ARROWS",
    "FAMILIES",
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
    "one_half",
    "one_half_table",
    "power_sums",
    "promised_parameter",
    "tag_release",
    "tag_weights",
    "translate",
]
