"""What the attacker's trade-off is asked: rates, and the privacy curve both ways."""

from __future__ import annotations

from typing import Protocol

from mipbook.base.types import Array

__all__ = ["Curve"]


class Curve(Protocol):
    """The test between *in* and *out*, of a mechanism or the hardest one of a promise.

    Methods take and return arrays.  ``delta`` and ``epsilon`` hold for both directions; the two
    hockey-sticks are told apart by ``delta_in`` and ``delta_out``, which differ where a release
    with the record and one without it are not alike.
    """

    @property
    def advantage(self) -> float:
        """The largest TPR - FPR."""

    @property
    def auc(self) -> float:
        """The area under the trade-off curve."""

    def tpr(self, fpr: Array) -> Array:
        """Return the best true positive rate at a false positive rate."""

    def delta_in(self, epsilon: Array) -> Array:
        """Return the hockey-stick of *in* from *out*."""

    def delta_out(self, epsilon: Array) -> Array:
        """Return the hockey-stick of *out* from *in*."""

    def epsilon(self, delta: Array) -> Array:
        """Return the least epsilon at a delta, for both directions."""
