"""Mechanisms: finite ones as tables of probabilities, the others as callables.

A *mechanism* of this book is any callable ``mechanism(data, rng)`` that returns one
release.  `Gaussian`, `Laplace` and `Sampling` are such callables that can also draw
many releases at once.  A *finite* mechanism is an array of shape (data sets, outputs)
whose rows are probability vectors; `mipbook.game` computes on those exactly.
"""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.mechanisms.finite import (
        exponential_probabilities,
        randomised_response,
        sampling_mechanism,
        tight_mechanism,
    )
    from mipbook.mechanisms.noise import Gaussian, Laplace, Sampling, records_mean

__getattr__, __dir__, __all__ = lazy.attach(__name__)
