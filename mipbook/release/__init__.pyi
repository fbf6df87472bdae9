from .attack import AttackReport, measure_attack
from .estimators import estimator_parameters, with_parameters
from .release import MIPRelease, Release

__all__ = [
    "AttackReport",
    "MIPRelease",
    "Release",
    "estimator_parameters",
    "measure_attack",
    "with_parameters",
]
