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
    "FAMILIES",
    "READINGS",
    "Match",
    "Reading",
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
    "matching",
    "translate",
]
