"""Choose epsilon for a data set: a target for the practical attacker, and what it takes."""

from mipbook.choose.choice import choose_epsilon
from mipbook.choose.report import EpsilonChoice

__all__ = ["EpsilonChoice", "choose_epsilon"]
