"""Data of the experiments: subpopulations, outliers, clipping, digits, discretisation."""

from mipbook.data.digits import Digits, digits, small_digits
from mipbook.data.discretise import Discretisation, atoms, discretise
from mipbook.data.populations import clip_norm, gaussian_points, scale_outliers, unit_vectors

__all__ = [
    "Digits",
    "Discretisation",
    "atoms",
    "clip_norm",
    "digits",
    "discretise",
    "gaussian_points",
    "scale_outliers",
    "small_digits",
    "unit_vectors",
]
