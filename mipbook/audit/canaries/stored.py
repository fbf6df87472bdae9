"""Long runs behind the pages on canaries: a table of proofs, and runs on digits."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from explorable import progress, validate
from mipbook.audit.canaries.epsilon import canary_epsilon
from mipbook.audit.canaries.gaussian import canary_mu
from mipbook.audit.canaries.report import gaussian_reading
from mipbook.audit.canaries.run import right_guesses
from mipbook.audit.canaries.training import train_with_canaries
from mipbook.base.types import Array
from mipbook.game import roc
from mipbook.stored import store

__all__ = ["RUNS", "TABLE", "TRAINED", "DigitAudit", "ProofTable", "digit_audit", "proof_table"]

TABLE: dict[str, Any] = {
    "version": 1,
    "canaries": (
        *(100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000),
        *(5000, 7000, 10_000, 20_000, 50_000, 100_000),
    ),
    "guessed": (1.0, 0.2),
    "right": tuple(range(50, 101)),
    "delta": 1e-5,
}
TRAINED: dict[str, Any] = {
    "version": 2,
    "sigmas": (
        *(0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6),
        *(1.7, 1.8, 1.9, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0, 3.3, 3.6, 4.0),
    ),
    "canaries": 500,
    "guessed": (0.05, 0.1, 0.2, 0.5),
    "repeats": 5,
    "sampling": 0.1,
    "steps": 300,
    "delta": 1e-5,
    "seed": 172,
}
METHODS = ("sharp", "published", "gaussian")


class ProofTable(NamedTuple):
    """What right guesses prove at delta = 1e-5 and 95%, by the share that is right.

    Attributes
    ----------
    right : ndarray of int, shape (shares,)
        Right guesses, for 50, 51, ..., 100% of them.
    guesses : int
        How many canaries are guessed.
    sharp, published, gaussian : ndarray of shape (shares,)
        The epsilon by each method (bounds); the last for runs that are Gaussian DP alone.
    """

    right: Array
    guesses: int
    sharp: Array
    published: Array
    gaussian: Array


class DigitAudit(NamedTuple):
    """What audits of runs on digits prove, by the noise; five runs each.

    Attributes
    ----------
    epsilon : dict
        By method, *sharp* and *gaussian*: an ndarray of shape (sigmas, repeats).
    auc, accuracy : ndarray of shape (sigmas, repeats)
        The attack's area under the curve, and the share of test digits told right.
    """

    epsilon: dict[str, Array]
    auc: Array
    accuracy: Array


def _proofs(settings: dict[str, Any]) -> store.Arrays:
    """Return epsilon by canaries, share guessed, method and share right."""
    cases = [(m, share) for m in settings["canaries"] for share in settings["guessed"]]
    with progress.reader() as stream:
        bar = progress.track(cases, stream, total=len(cases), what="proofs", unit="cases")
        found = [_proved(m, round(share * m), settings) for m, share in bar]
    shape = (len(settings["canaries"]), len(settings["guessed"]), len(METHODS), -1)
    return {"epsilon": np.array(found).reshape(shape)}


def _proved(canaries: int, guesses: int, settings: dict[str, Any]) -> list[Array]:
    right, delta = _right(guesses, settings["right"]), settings["delta"]
    exact = [
        np.asarray(canary_epsilon(right, guesses, delta, canaries, bound=bound)) for bound in METHODS[:2]
    ]
    mus = [canary_mu(int(v), guesses, canaries) for v in right]
    return [*exact, np.array([gaussian_reading(mu, delta) for mu in mus])]


def _right(guesses: int, percents: tuple[int, ...]) -> Array:
    # A whole number of right guesses, never more than the share.
    return np.floor(np.array(percents) * guesses / 100.0)


def _trained(settings: dict[str, Any]) -> store.Arrays:
    """Train with canaries at every noise; return right guesses, areas and accuracies."""
    cases = settings["sigmas"]
    with progress.reader() as stream:
        bar = progress.track(cases, stream, total=len(cases), what="canaries", unit="noises")
        numbers = np.array(
            [[_audited(sigma, repeat, settings) for repeat in range(settings["repeats"])] for sigma in bar]
        )
    kinds = len(settings["guessed"])
    return {
        "right": numbers[..., :kinds].astype(np.uint16),
        "measured": numbers[..., kinds:].astype(np.float32),
    }


def _audited(sigma: float, repeat: int, settings: dict[str, Any]) -> list[float]:
    # The same split and tosses at every noise.
    rng, canaries = np.random.default_rng((settings["seed"], repeat)), settings["canaries"]
    how = {"sampling": settings["sampling"], "steps": settings["steps"]}
    run = train_with_canaries(sigma, canaries, rng, **how)
    right = [
        right_guesses(run.scores, run.included, round(share * canaries)) for share in settings["guessed"]
    ]
    area = roc(run.scores, run.included).auc
    return [*right, area, run.accuracy]


RUNS = (
    store.Run("canaries_digits", TRAINED, lambda: _trained(TRAINED)),
    store.Run("canaries_proofs", TABLE, lambda: _proofs(TABLE)),
)


@lru_cache(maxsize=64)
def proof_table(canaries: int, guessed: float = 1.0) -> ProofTable:
    """Return what right guesses prove, from half of them to all.

    Parameters
    ----------
    canaries : int
        One of 16 numbers from 100 to 100,000.
    guessed : {1.0, 0.2}
        The share of the canaries that is guessed.

    Examples
    --------
    >>> table = proof_table(1000)
    >>> int(table.right[30]), round(float(table.sharp[30]), 2)
    (800, 1.25)
    """
    canaries = validate.choice("canaries", canaries, TABLE["canaries"])
    guessed = validate.choice("guessed", guessed, TABLE["guessed"])
    at = TABLE["canaries"].index(canaries), TABLE["guessed"].index(guessed)
    guesses = round(guessed * canaries)
    found = store.load("canaries_proofs").arrays["epsilon"][at]
    return ProofTable(_right(guesses, TABLE["right"]), guesses, *found)


@lru_cache(maxsize=64)
def digit_audit(guessed: float = 0.2) -> DigitAudit:
    """Return what audits prove of a softmax on digits, by the noise in its training.

    Parameters
    ----------
    guessed : {0.05, 0.1, 0.2, 0.5}
        The share of the 500 canaries that is guessed.

    Examples
    --------
    >>> found = digit_audit()
    >>> found.auc.shape, bool((found.epsilon["sharp"][0] > found.epsilon["sharp"][-1]).all())
    ((25, 5), True)
    """
    guessed = validate.choice("guessed", guessed, TRAINED["guessed"])
    arrays, canaries = store.load("canaries_digits").arrays, TRAINED["canaries"]
    r = round(guessed * canaries)
    right = arrays["right"][..., TRAINED["guessed"].index(guessed)].astype(int)
    delta, known = TRAINED["delta"], np.unique(right)
    mus = np.array([gaussian_reading(canary_mu(int(v), r, canaries), delta) for v in known])
    auc, accuracy = np.moveaxis(arrays["measured"].astype(float), -1, 0)
    epsilon = {
        "sharp": np.asarray(canary_epsilon(right, r, delta, canaries)),
        "gaussian": mus[np.searchsorted(known, right)],
    }
    return DigitAudit(epsilon, auc, accuracy)
