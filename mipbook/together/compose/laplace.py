"""The sum of k releases with Laplace noise, exactly: a spline between atoms.

In units of one release's loss, the loss of one release is an atom at +1, an atom at -1, and a
density between that grows like an exponential.  But for that exponential, a sum of such losses has
a polynomial density between whole numbers.  It is built up by the recursion of B-splines, whose
terms are all positive, so that no digit is lost; each integral is a Gauss rule on a cell.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.interpolate import BarycentricInterpolator
from scipy.stats import binom

from mipbook.base.halving import halved
from mipbook.base.types import Array
from mipbook.together.compose.envelope import tpr_of

__all__ = ["LARGEST_LOSS", "MOST_LAPLACE", "LaplaceSum"]

# Within these the rule on a cell keeps eleven digits.
MOST_LAPLACE, LARGEST_LOSS = 500, 50.0
_NODES, _WEIGHTS = (0.5 * part for part in np.polynomial.legendre.leggauss(24))
_NODES = _NODES + 0.5
_HALVINGS, _KEPT = 64, 1.0 - 1e-11


class LaplaceSum:
    """The test between k noisy answers with a record and k without it.

    Parameters
    ----------
    loss : float
        The epsilon of one release, its sensitivity over its scale, in (0, 50].
    k : int
        How many there are, from 1 to 500.
    """

    def __init__(self, loss: float, k: int) -> None:
        self.loss, self.k = loss, k

    @cached_property
    def _cells(self) -> tuple[Array, Array]:
        """The density *in* at the nodes of the cells of [-k, k], and the atoms at -k..k."""
        k, loss = self.k, self.loss
        fades = np.exp(-loss)
        x = np.arange(-k, k)[:, None] + _NODES
        one = (loss / 2) / -np.expm1(-loss) * np.exp(loss / 2 * (np.minimum(x, 1) - 1))
        part = np.where(np.abs(x) < 1, one, 0.0)
        shares = binom.pmf(np.arange(k + 1), k, -np.expm1(-loss) / 2)
        total = shares[1] * part
        for r in range(2, k + 1):
            grown = (x + r) * fades * _up(part) + (r - x) * _down(part)
            part = np.maximum(grown, 0.0) * (loss / -np.expm1(-loss) / (2 * (r - 1)))
            total = (_down(total) + fades * _up(total)) / (1 + fades) + shares[r] * part
        atoms = np.zeros(2 * k + 1)
        atoms[::2] = shares[0] * binom.pmf(np.arange(k, -1, -1), k, fades / (1 + fades))
        return total, atoms

    @cached_property
    def _steps(self) -> tuple[Array, Array]:
        """Delta at the epsilons 0, 1, ... k losses, and what the slope is made of."""
        cells, atoms = self._cells
        cells, atoms = cells[self.k :], atoms[self.k :]
        fall = np.exp(-self.loss * _NODES)
        below = cells @ (_WEIGHTS * fall)
        above = cells @ (_WEIGHTS * -np.expm1(-self.loss * _NODES))
        delta, slope = np.zeros(self.k + 1), np.zeros(self.k + 1)
        slope[-1] = atoms[-1]
        for m in range(self.k - 1, -1, -1):
            slope[m] = atoms[m] + below[m] + np.exp(-self.loss) * slope[m + 1]
            delta[m] = delta[m + 1] - np.expm1(-self.loss) * slope[m + 1] + above[m]
        return delta, slope

    @property
    def advantage(self) -> float:
        """The largest TPR - FPR."""
        return min(float(self._steps[0][0]), 1.0)

    @cached_property
    def auc(self) -> float:
        """The area under the trade-off curve: of twice as many releases, the sign."""
        cells, atoms = LaplaceSum(self.loss, 2 * self.k)._cells
        below = float((cells[: 2 * self.k] @ _WEIGHTS).sum() + atoms[: 2 * self.k].sum())
        return 1.0 - below - float(atoms[2 * self.k]) / 2

    def tpr(self, fpr: Array) -> Array:
        """Return the best true positive rate at a false positive rate."""
        return tpr_of(self.delta_in, self.loss * self.k, fpr)

    def delta_in(self, epsilon: Array) -> Array:
        """Return the hockey-stick, the same in both directions."""
        delta, slope = self._steps
        with np.errstate(over="ignore"):
            u = np.minimum(epsilon / self.loss, self.k)
        cell = np.minimum(u.astype(int), self.k - 1)
        beyond = delta[cell + 1] - slope[cell + 1] * np.expm1(self.loss * (u - cell - 1))
        return np.asarray(np.clip(beyond + self._rest(u, cell), 0.0, 1.0))

    delta_out = delta_in

    def _rest(self, u: Array, cell: Array) -> Array:
        """Return the integral from u to the end of its cell."""
        width = cell + 1 - u
        inner = (u - cell)[:, None] + width[:, None] * _NODES
        # The polynomial alone is interpolated.
        tilt = self.loss / 2
        smooth = self._cells[0][self.k :][cell] * np.exp(-tilt * _NODES)
        found = np.einsum("nij,nj->ni", _interpolation(inner), smooth) * np.exp(tilt * inner)
        gain = -np.expm1(-self.loss * width[:, None] * _NODES)
        return np.asarray((np.maximum(found, 0.0) * gain) @ _WEIGHTS * width)

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon at a delta, up."""
        ends, less = ((np.zeros(delta.shape), np.full(delta.shape, self.k * self.loss)), _KEPT * delta)
        _, high = halved(lambda epsilon: self.delta_in(epsilon) > less, *ends, _HALVINGS)
        return np.where(delta >= self.advantage, 0.0, high)


def _up(values: Array) -> Array:
    """Return the values one cell further up, at x + 1."""
    return np.concatenate([values[1:], np.zeros((1, values.shape[1]))])


def _down(values: Array) -> Array:
    return np.concatenate([np.zeros((1, values.shape[1])), values[:-1]])


def _interpolation(points: Array) -> Array:
    """Return what takes values at the nodes to values at points of shape (n, m)."""
    flat = BarycentricInterpolator(_NODES, np.eye(_NODES.size))(points.ravel())
    return np.asarray(flat.reshape(*points.shape, _NODES.size))
