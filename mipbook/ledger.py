"""The old name of `explorable.checks`."""

from explorable import checks
from mipbook.base.renamed import renamed

__getattr__, __dir__ = renamed(__name__, checks)
