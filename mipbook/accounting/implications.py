"""The twelve arrows between DP, MIP, PMP and MIS, in the unit that they share: an accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logit

from explorable import validate
from mipbook.base.types import Floats
from mipbook.mip.conversion import eta_from_dp

NOTIONS = ("DP", "MIP", "PMP", "MIS")


@dataclass(frozen=True)
class Arrow:
    """What a promise of one notion says in another, if it says anything.

    Attributes
    ----------
    start, end : str
        Two of `NOTIONS`.
    kind : str
        ``"sharp"``: nothing better can be said, whatever the number of records; ``"bound"``:
        proved, and its sharp form is open; ``"impossible"``: some release
        keeps the promise as well as one likes and tells all in the other notion.

    Notes
    -----
    A promise holds for all data sets (DP), for every pool of 2n different records (MIP, PMP) or
    for one distribution of a record (MIS); n is at least 2.  What DP, MIP and PMP say of MIS
    holds for every distribution that hardly ever gives two equal records.
    """

    start: str
    end: str
    kind: str

    def accuracy(self, right: Any) -> Floats:
        r"""Return how often the best attacker of the other notion is right, at most.

        Parameters
        ----------
        right : float or array_like
            How often, at even odds, the promise lets its own best attacker be right; in
            [1/2, 1].  From DP to MIS the promise is pure: with a ``delta`` take
            `mipbook.mis.delta_from_dp`.  Along the other arrows it may have a ``delta``.

        Returns
        -------
        float or ndarray
            ``right`` itself, but for two cases: 1 where nothing follows, and
            :math:`\sqrt r / (\sqrt r + \sqrt{1 - r})` from pure DP to MIS.

        Notes
        -----
        This book, Theorems 2.1, 2.3, 2.5, 2.6 and 2.7.

        Examples
        --------
        >>> arrow("DP", "MIP").accuracy(0.8), arrow("MIS", "MIP").accuracy(0.8)
        (0.8, 1.0)
        >>> round(arrow("DP", "MIS").accuracy(0.8), 6)
        0.666667
        """
        right = validate.array("right", right, 0.5, 1.0)
        if self.kind == "impossible":
            return validate.plain(np.ones_like(right))
        if (self.start, self.end) == ("DP", "MIS"):
            # The odds of one half of epsilon.
            return validate.plain(np.sqrt(right) / (np.sqrt(right) + np.sqrt(1 - right)))
        return validate.plain(right)


def _kind(start: str, end: str) -> str:
    if end == "DP" or start == "MIS":
        return "impossible"
    return "bound" if (start, end) == ("PMP", "MIS") else "sharp"


ARROWS = tuple(Arrow(a, b, _kind(a, b)) for a in NOTIONS for b in NOTIONS if a != b)


def arrow(start: str, end: str) -> Arrow:
    """Return the arrow from one notion to another.

    Parameters
    ----------
    start, end : {"DP", "MIP", "PMP", "MIS"}
        Two different notions.

    Notes
    -----
    This book, Theorems 2.1 to 2.7.

    Examples
    --------
    >>> arrow("PMP", "MIS").kind, arrow("MIS", "PMP").kind
    ('bound', 'impossible')
    """
    validate.choice("start", start, NOTIONS)
    validate.choice("end", end, [notion for notion in NOTIONS if notion != start])
    return next(each for each in ARROWS if (each.start, each.end) == (start, end))


def promised_parameter(notion: str, right: Any) -> Floats:
    r"""Return the parameter of a notion that lets the best attacker be right so often.

    Parameters
    ----------
    notion : {"DP", "MIP", "PMP", "MIS"}
    right : float or array_like
        The accuracy at even odds, in [1/2, 1].

    Returns
    -------
    float or ndarray
        :math:`\varepsilon = \ln\frac{r}{1 - r}` of pure DP or PMP, in [0, inf];
        :math:`\eta = r - \frac12`; or :math:`\Delta = 2r - 1`.

    Notes
    -----
    MIP paper, Definition 1; PMP paper, Lemma 6; Limits paper, Theorem 6.

    Examples
    --------
    >>> [round(promised_parameter(notion, 0.75), 6) for notion in NOTIONS]
    [1.098612, 0.25, 1.098612, 0.5]
    """
    validate.choice("notion", notion, NOTIONS)
    right = validate.array("right", right, 0.5, 1.0)
    if notion == "MIP":
        return validate.plain(right - 0.5)
    if notion == "MIS":
        return validate.plain(2 * right - 1)
    return validate.plain(np.asarray(logit(right)))


def delta_from_mip(eta: Any) -> Floats:
    r"""Return the most that the best attack on an eta-MIP learner gains, :math:`\Delta \le 2\eta`.

    Parameters
    ----------
    eta : float or array_like
        In [0, 1/2].

    Returns
    -------
    float or ndarray
        In [0, 1].

    Notes
    -----
    This book, Theorem 2.3.  The learner is eta-MIP on almost every pool of 2n records drawn
    from the distribution of the data.  Sharp for every n: publish one random member with
    probability p; then eta is p / (2n), and Delta is p / n where no two records are alike.

    Examples
    --------
    >>> delta_from_mip(0.1)
    0.2
    """
    return validate.plain(2 * validate.array("eta", eta, 0.0, 0.5))


def delta_from_pmp(epsilon: Any, delta: Any = 0.0) -> Floats:
    r"""Return a bound on Delta of every learner that is (epsilon, delta)-PMP on all pools.

    Parameters
    ----------
    epsilon : float or array_like
        The PMP parameter, in [0, inf].
    delta : float or array_like
        In [0, 1]; the two broadcast.

    Returns
    -------
    float or ndarray
        :math:`\delta + (1 - \delta)\tanh(\epsilon/2)`, in [0, 1].

    Notes
    -----
    This book, Theorem 2.5.  A bound for every n.  The exact numbers of `tag_release` come near
    it for pure PMP as n grows; that they reach it in the limit is not proved.

    Examples
    --------
    >>> round(delta_from_pmp(1.0), 6), round(delta_from_pmp(1.0, 0.1), 6)
    (0.462117, 0.515905)
    """
    # An advantage, which is twice what MIP calls eta.
    return 2 * eta_from_dp(epsilon, delta)
