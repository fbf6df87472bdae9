"""Adam, the optimiser of the networks whose losses are watched."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Adam"]

_KEEP, _KEEP_SQUARE, _TINY = 0.9, 0.999, 1e-8


class Adam:
    """Adam with its usual constants, on one array of weights in single precision, in place.

    Parameters
    ----------
    weights : ndarray of float32
        What `step` changes.
    rate : float
        The learning rate.

    References
    ----------
    D. P. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, Section 2.

    Examples
    --------
    >>> weights = np.ones(2, np.float32)
    >>> adam = Adam(weights, 0.25)
    >>> adam.step(np.array([4.0, -4.0], np.float32))
    >>> weights.tolist()
    [0.75, 1.25]
    """

    def __init__(self, weights: NDArray[Any], rate: float) -> None:
        self.weights, self.rate, self.steps = weights, rate, 0
        self._mean, self._square = np.zeros((2, *weights.shape), np.float32)

    def step(self, slope: NDArray[Any]) -> None:
        """Move the weights against the slope of the loss in them."""
        self.steps += 1
        mean, square = self._mean, self._square
        mean *= _KEEP
        mean += (1 - _KEEP) * slope
        square *= _KEEP_SQUARE
        square += (1 - _KEEP_SQUARE) * np.square(slope)
        move = np.sqrt(square)
        move /= np.float32(np.sqrt(1 - _KEEP_SQUARE**self.steps))
        move += np.float32(_TINY)
        np.divide(mean, move, out=move)
        move *= np.float32(self.rate / (1 - _KEEP**self.steps))
        self.weights -= move
