"""What is known of a learner that was solved exactly: Delta, the best attack, the ROC curve."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import rel_entr

from explorable import validate
from mipbook import game
from mipbook.base.types import Array, Floats
from mipbook.mis.security.divergence import gain
from mipbook.mis.security.weights import checked_weights, weights_as_numbers

__all__ = ["FiniteModel", "Learner"]

Flags = NDArray[np.bool_]
Counts = tuple[int, ...]
# From a data set to an output, or to a mapping from outputs to probabilities.
Learner = Callable[[Counts], Hashable | Mapping[Any, float]]


@dataclass(frozen=True)
class FiniteModel:
    """How a learner's releases are distributed, given each value of a record; by `finite_model`.

    Attributes
    ----------
    p : ndarray of shape (kinds,)
        The distribution of a record.
    n : int
        Records in the data set.
    outputs : tuple
        What can be released.
    given : ndarray of shape (kinds, outputs)
        Row k is the distribution of the output given that a random member of the data set is k.

    Notes
    -----
    Limits paper, Theorem 6.  ``p @ given`` is the distribution of the output.
    """

    p: Array
    n: int
    outputs: tuple[Hashable, ...]
    given: Array
    learner: Learner = field(repr=False, compare=False)
    ordered: bool = False

    @property
    def law(self) -> Array:
        """The distribution of the output, of shape (outputs,)."""
        return np.asarray(self.p @ self.given)

    def delta(self, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
        """Return Delta, in [0, 1]; arrays ``nu`` and ``lam`` broadcast.

        Examples
        --------
        >>> from mipbook import mis
        >>> mis.finite_model(lambda data: data[0], [0.5, 0.5], 1).delta()
        0.5
        """
        a, b = checked_weights(nu, lam)
        every = gain(self.given, self.law, a[..., None, None], b[..., None, None])
        return validate.plain(np.asarray(np.minimum(every @ self.p, 1.0)))

    def security(self, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
        """Return the membership inference security, 1 - Delta."""
        return 1.0 - self.delta(nu, lam)

    def best_attack(self, nu: float = 0.5, lam: float = 0.5) -> Flags:
        """Return where the best attack says *member*: booleans of shape (kinds, outputs)."""
        a, b = checked_weights(*weights_as_numbers(nu, lam))
        return np.asarray(a * self.given > b * self.law)

    def rates(self, attack: ArrayLike) -> tuple[float, float]:
        """Return the exact TPR and TNR of any attack.

        ``attack`` holds, for each kind of record and each output, the chance in [0, 1] of
        saying *member*, or booleans.

        Examples
        --------
        >>> from mipbook import mis
        >>> model = mis.finite_model(lambda data: data[0], [0.5, 0.5], 1)
        >>> model.rates(model.best_attack())
        (1.0, 0.5)
        """
        chances = validate.chances("attack", attack)
        if chances.shape != self.given.shape:
            validate.refuse("attack", attack, f"of shape {self.given.shape}, (kinds, outputs)")
        tpr = float(self.p @ (chances * self.given).sum(axis=1))
        fpr = float(self.p @ (chances @ self.law))
        return min(tpr, 1.0), max(1.0 - fpr, 0.0)

    def accuracy(self, attack: ArrayLike, nu: float = 0.5, lam: float = 0.5) -> float:
        """Return the accuracy ``a TPR + b TNR`` of any attack.

        Examples
        --------
        >>> from mipbook import mis
        >>> model = mis.finite_model(lambda data: data[0], [0.5, 0.5], 1)
        >>> model.accuracy(model.best_attack())
        0.75
        """
        a, b = checked_weights(*weights_as_numbers(nu, lam))
        tpr, tnr = self.rates(attack)
        return float(a * tpr + b * tnr)

    def best_accuracy(self, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
        """Return ``max(a, b) + min(a, b) Delta``, which no attack exceeds."""
        a, b = checked_weights(nu, lam)
        most = np.maximum(a, b) + np.minimum(a, b) * np.asarray(self.delta(nu, lam))
        return validate.plain(np.asarray(np.minimum(most, 1.0)))

    def roc(self) -> tuple[Array, Array]:
        """Return the corners (FPR, TPR) of the best ROC curve."""
        fresh = (self.p[:, None] * self.law).ravel()
        member = (self.p[:, None] * self.given).ravel()
        return game.finite_roc(np.stack([fresh, member]))

    def information(self) -> float:
        """Return the mutual information of the output and one record, in nats."""
        return max(float(self.p @ rel_entr(self.given, self.law).sum(axis=1)), 0.0)
