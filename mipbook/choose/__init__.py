"""Choose epsilon for a data set: a target for the practical attacker, and what it takes."""

from mipbook.choose.choice import choose_epsilon
from mipbook.choose.curve import Curve, choice_curve
from mipbook.choose.report import EpsilonChoice

__all__ = ["Curve", "EpsilonChoice", "choice_curve", "choose_epsilon"]
