"""Choose epsilon for a data set: a target for the practical attacker, and what it takes."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.choose.choice import EpsilonChoice, choose_epsilon

__getattr__, __dir__, __all__ = lazy.attach(__name__)
