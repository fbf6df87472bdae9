"""The figures of the book: pure functions from parameters to a picture, part by part."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.figures import game, mip, mis, pmp, together

__getattr__, __dir__, __all__ = lazy.attach(__name__)
