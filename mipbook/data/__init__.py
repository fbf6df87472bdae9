"""Data of the experiments: subpopulations, outliers, clipping, digits, discretisation."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.data.mnist import Digits, digits, small_digits
    from mipbook.data.populations import (
        Discretisation,
        atoms,
        clip_norm,
        discretise,
        gaussian_points,
        scale_outliers,
        unit_vectors,
    )

__getattr__, __dir__, __all__ = lazy.attach(__name__)
