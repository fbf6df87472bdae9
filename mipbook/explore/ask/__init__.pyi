from .answer import Answer
from .asked import Asked
from .drawn import DrawnGuess
from .guess import Guess

__all__ = ["Answer", "Asked", "DrawnGuess", "Guess"]
