"""Measure the best attack on a calibrated release, with shadow fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorable import validate
from explorable.private import private
from mipbook import game
from mipbook.base.types import Array
from mipbook.mip.grid import Calibration

__all__ = ["AttackReport", "measure_attack"]

_CELLS = 1 << 20


@dataclass(frozen=True)
class AttackReport:
    """How often an attack on one record was right, with the promise it is held against."""

    record: int
    accuracy: float
    low: float
    high: float
    promised: float
    games: int


@private("fits", "members")
def measure_attack(
    fits: Any,
    members: Any,
    noise: Calibration,
    rng: np.random.Generator,
    *,
    records: int = 3,
    confidence: float = 0.95,
) -> AttackReport:
    """Return the accuracy of a likelihood-ratio attack on the most exposed records.

    Parameters
    ----------
    fits : array_like of shape (count, d)
        Fits on random halves, without noise; at least 40.
    noise : Calibration
        The noise of the release.
    records : int
        How many of the records whose presence moves the fit most are attacked.
    confidence : float
        Of the band, in (0, 1), for all attacked records at once.

    Returns
    -------
    AttackReport
        Of the record for which the attack was right most often.

    Notes
    -----
    MIP paper, Proposition 2, with the distributions of the release replaced by those of one half of
    the fits; the other half is attacked.  An attack is a lower bound: a better one may exist.

    Examples
    --------
    >>> from mipbook import mip
    >>> rng = np.random.default_rng(0)
    >>> members = np.arange(400)[:, None] % 2 == np.arange(2)
    >>> fits = np.where(members[:, :1], 1.0, -1.0)
    >>> noise = mip.Calibration(1.0, 0.32, "gamma", 2.0, np.ones(1), np.zeros(1), 400, 0.9)
    >>> measure_attack(fits, members, noise, rng).accuracy > 0.7
    True
    """
    theta = validate.squarable("fits", fits, ndim=2)
    flags = validate.flags("members", members)
    if flags.ndim != 2 or len(flags) != len(theta) or len(theta) < 40:
        shape = f"{flags.dtype} array of shape {flags.shape}"
        validate.refuse_as("members", shape, f"booleans, one row for each of {len(theta)} fits (>= 40)")
    if not isinstance(noise, Calibration) or noise.weights.size != theta.shape[1]:
        validate.refuse("noise", noise, f"a Calibration for {theta.shape[1]} numbers")
    validate.generator("rng", rng)
    records = validate.integer("records", records, 1)
    confidence = validate.confidence(confidence)
    half = len(theta) // 2
    inside = flags[:half].sum(axis=0)
    known = np.flatnonzero((inside > 1) & (inside < half - 1))
    if known.size == 0:
        validate.refuse("members", flags, "such that a record is in some halves only")
    means_in = flags[:half].T @ theta[:half] / np.maximum(inside, 1)[:, None]
    means_out = (~flags[:half]).T @ theta[:half] / np.maximum(half - inside, 1)[:, None]
    shift = np.abs((means_in - means_out) / noise.weights).sum(axis=1)
    exposed = known[np.argsort(-shift[known])[:records]]
    released = noise.release(theta[half:], rng)
    edges = np.concatenate(
        [_edges(part, theta[:half], flags[:half, exposed], noise) for part in _parts(released, half)]
    )
    reports = []
    for place, record in enumerate(exposed):
        right = int(((edges[:, place] >= 0) == flags[half:, record]).sum())
        level = 1 - (1 - confidence) / exposed.size
        low, high = game.clopper_pearson(right, len(edges), level)
        reports.append(AttackReport(int(record), right / len(edges), low, high, 0.5 + noise.eta, len(edges)))
    return max(reports, key=lambda report: report.accuracy)


def _parts(released: Array, half: int) -> list[Array]:
    """Split the releases so that all gaps of a part fit into a few megabytes."""
    step = max(1, _CELLS // (half * released.shape[1]))
    return [released[i : i + step] for i in range(0, len(released), step)]


def _edges(released: Array, known: Array, flags: Any, noise: Calibration) -> Array:
    """Return the log odds of *in* for each release and record; infinite beyond the doubles."""
    near = noise.log_density(released[:, None, :] - known[None])
    near = np.exp(near - near.max(axis=1, keepdims=True))
    with np.errstate(divide="ignore"):
        within, without = (
            np.log(near @ side) - np.log(side.sum(axis=0))
            for side in (flags.astype(float), (~flags).astype(float))
        )
    return np.asarray(within - without)
