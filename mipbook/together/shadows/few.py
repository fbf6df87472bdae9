"""LiRA on the mean of normal records with few shadow models, simulated by sufficient statistics."""

from __future__ import annotations

import math

import numpy as np

from explorable import validate
from mipbook.base.types import Array
from mipbook.together.shadows.mean import people_worth
from mipbook.together.shadows.ratio import log_ratio

__all__ = ["FEW_ATTACKS", "few_shadow_scores"]

FEW_ATTACKS = ("online, pooled", "online, each", "offline, pooled", "offline, each")


def few_shadow_scores(
    models: int,
    n: int,
    d: int,
    rng: np.random.Generator,
    *,
    tau: float = 0.0,
    attack: str = FEW_ATTACKS[0],
    draws: int = 100_000,
) -> tuple[Array, Array]:
    """Play LiRA with few shadow models on the noisy mean; return the scores.

    Parameters
    ----------
    models : int
        Shadow models in all, even, in [4, 10^6].  Online half of them have the record; offline
        none has it.
    n : int
        Records in the mean, in [2, 10^9], each N(0, I).
    d : int
        Coordinates of a record, in [1, 10^6].
    tau : float
        Standard deviation of the noise on each coordinate of the mean, in [0, 10^3].
    attack : {"online, pooled", "online, each", "offline, pooled", "offline, each"}
        *Pooled*: the variances are known, as pooling over many records would find them; *each*:
        they are estimated from this record's models.
    draws : int
        Members, and as many others, in [1, 10^6].

    Returns
    -------
    inside, outside : ndarray of shape (draws,)
        Scores of members and of others, larger for *in*.

    Notes
    -----
    The mean of a record's shadow models is normal and their variance is chi-square, independent of
    it, so no shadow model is drawn.

    Examples
    --------
    >>> inside, outside = few_shadow_scores(16, 10, 20, np.random.default_rng(0))
    >>> bool(0.8 < (inside[:, None] > outside[:100]).mean() < 0.85)
    True
    """
    models = validate.integer("models", models, 4, 10**6, multiple_of=2)
    rho = 1 / math.sqrt(people_worth(n, tau))
    d = validate.integer("d", d, 1, 10**6)
    attack = validate.choice("attack", attack, FEW_ATTACKS)
    draws = validate.integer("draws", draws, 1, 10**6)
    rng = validate.generator("rng", rng)
    method, variance = attack.split(", ")
    shift = rho * np.sqrt(rng.chisquare(d, (2, draws)))
    # Of the projection of the release on the record: others N(0, 1), members N(shift, rest).
    rest = 1 - rho**2
    seen = rng.standard_normal((2, draws))
    seen[0] = shift[0] + math.sqrt(rest) * seen[0]
    many = models if method == "offline" else models // 2
    mean_out = rng.standard_normal((2, draws)) / math.sqrt(many)
    free = many - 1
    var_out = rng.chisquare(free, (2, draws)) / free if variance == "each" else np.ones((2, 1))
    if method == "offline":
        scores = (seen - mean_out) / np.sqrt(var_out)
    else:
        mean_in = shift + math.sqrt(rest / many) * rng.standard_normal((2, draws))
        var_in = rest * rng.chisquare(free, (2, draws)) / free if variance == "each" else rest
        scores = log_ratio(seen, mean_in, var_in, mean_out, var_out)
    return scores[0], scores[1]
