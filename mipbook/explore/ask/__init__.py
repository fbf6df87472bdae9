"""What a page asks its reader: a guess before the panel, an answer to an exercise."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.explore.ask.answer import Answer
    from mipbook.explore.ask.asked import Asked
    from mipbook.explore.ask.drawn import DrawnGuess
    from mipbook.explore.ask.guess import Guess

__getattr__, __dir__, __all__ = lazy.attach(__name__)
