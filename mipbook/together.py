"""The old name of `mipbook.accounting`, `mipbook.dpsgd` and the attacks on means in `mipbook.mis`."""

from mipbook import accounting, dpsgd, mis
from mipbook.base.renamed import renamed

__getattr__, __dir__ = renamed(__name__, accounting, dpsgd, mis)
