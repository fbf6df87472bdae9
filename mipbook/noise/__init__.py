"""Release a statistic or a model with membership inference privacy."""

from mipbook.noise.attack import AttackReport, measure_attack
from mipbook.noise.parameters import estimator_parameters, with_parameters
from mipbook.noise.release import MIPRelease, Release

__all__ = [
    "AttackReport",
    "MIPRelease",
    "Release",
    "estimator_parameters",
    "measure_attack",
    "with_parameters",
]
