"""What a page asks its reader: a guess before the panel, an answer to an exercise."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from explorable.panels.ask.answer import Answer
    from explorable.panels.ask.asked import Asked
    from explorable.panels.ask.drawn import DrawnGuess
    from explorable.panels.ask.guess import Guess

__getattr__, __dir__, __all__ = lazy.attach(__name__)
