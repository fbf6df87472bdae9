from .choice import choose_epsilon
from .curve import Curve, choice_curve
from .report import EpsilonChoice

__all__ = ["Curve", "EpsilonChoice", "choice_curve", "choose_epsilon"]
