"""The old name of `explorable.panels`."""

from explorable import panels
from mipbook.base.renamed import renamed

__getattr__, __dir__ = renamed(__name__, panels)
