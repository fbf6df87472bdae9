"""Mechanisms: finite ones as tables of probabilities, the others as callables.

A *mechanism* of this book is any callable ``mechanism(data, rng)`` that returns one
release.  `Gaussian`, `Laplace` and `Sampling` are such callables that can also draw
many releases at once.  A *finite* mechanism is an array of shape (data sets, outputs)
whose rows are probability vectors; `mipbook.game` computes on those exactly.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
