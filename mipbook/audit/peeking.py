"""A spy who learns his rule from models that tell nothing, and what it says of those same models."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from explorable.checked import Integer, checked
from mipbook.audit.security import mean_lower_bound
from mipbook.base.types import Array

# So many models taught him, by a member and a stranger each.
TAUGHT, _SEED = 20, 7


class LearntRule(NamedTuple):
    """A rule that says *in* on some pieces of a line, and how it does where it was learnt.

    Attributes
    ----------
    numbers : ndarray of shape (models, 2)
        Of each model the number of a member and of a stranger.
    cuts : ndarray
        Where the line is cut, in order.
    says : ndarray of bool
        Whether he says *in*, piece by piece.
    right : ndarray of bool, shape (models, 2)
        About whom of those who taught him he is right.
    claimed : float
        The leak that these answers would prove, with 95% confidence, had others taught him.
    """

    numbers: Array
    cuts: Array
    says: Array
    right: Array
    claimed: float


@checked
def learnt_rule(cuts: Annotated[int, Integer(1, 60)]) -> LearntRule:
    """Learn a rule with at most so many cuts from models that never looked at their data.

    Parameters
    ----------
    cuts : int
        In how many places the line may be cut, in [1, 60].

    Notes
    -----
    Members and strangers have the same distribution, so on all other models any rule is right
    half of the time.

    Examples
    --------
    >>> float(learnt_rule(cuts=1).right.mean()), float(learnt_rule(cuts=19).right.mean())
    (0.625, 1.0)
    >>> learnt_rule(cuts=20).cuts.size
    19
    """
    from sklearn.tree import DecisionTreeClassifier

    numbers = np.random.default_rng(_SEED).standard_normal((TAUGHT, 2))
    member = np.tile([True, False], (TAUGHT, 1))
    tree = DecisionTreeClassifier(max_leaf_nodes=cuts + 1, random_state=0)
    tree.fit(numbers.reshape(-1, 1), member.ravel())
    at = np.sort(tree.tree_.threshold[tree.tree_.feature >= 0])
    ends = np.concatenate([[at[0] - 1], at, [at[-1] + 1]])
    says = tree.predict((ends[1:, None] + ends[:-1, None]) / 2)
    right = says[np.searchsorted(at, numbers)] == member
    return LearntRule(numbers, at, says, right, max(0.0, 2 * mean_lower_bound(right.mean(axis=1)) - 1))
