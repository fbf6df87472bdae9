"""Networks trained with clip and noise, and LiRA with few shadow models: stored results."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np

from explorable import validate
from explorable.checked import OneOf, checked
from mipbook.base.types import Array
from mipbook.data.mnist import small_digits
from mipbook.stored.store import load

# From the name of a network to its hidden units.
NETWORKS = {"softmax": 0, "64-32-10": 32}
CLIPS = (0.03, 0.05, 0.07, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0)
SIGMAS = (
    *(0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0),
    *(2.4, 2.8, 3.2, 3.6, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0),
)
# How likely a record takes part in a step, and how many steps there are.
RATE, STEPS = 0.1, 300
SETTINGS: dict[str, Any] = {
    "version": 1,
    "networks": ["softmax"],
    "clips": CLIPS,
    "sigmas": SIGMAS,
    # In units of 1 / clip.
    "learning rates": (0.5, 2.0, 8.0),
    "rate": RATE,
    "steps": STEPS,
    "repeats": 6,
    "train": 898,
    "validation": 300,
    "seed": 171,
}
# A run of its own, so that neither waits for the other.
NETWORK_SETTINGS = {**SETTINGS, "networks": ["64-32-10"], "seed": 172}
_STORED = {"softmax": ("trained_digits", SETTINGS), "64-32-10": ("trained_network", NETWORK_SETTINGS)}
PROMISED: dict[str, Any] = {
    "version": 1,
    "sigmas": SIGMAS[1:],
    "rate": RATE,
    "steps": STEPS,
    "delta": 1e-5,
    "fpr": 0.01,
    "points": 41,
}


class Trained(NamedTuple):
    """What networks trained with one clip reach, one entry a noise of `SIGMAS`.

    Attributes
    ----------
    accuracy : ndarray of shape (sigmas,)
        Mean share of test digits told right.
    half_width : ndarray of shape (sigmas,)
        Of its 95% interval by Student's distribution over the repeats, each with its own split.
    learning_rate : ndarray of shape (sigmas,)
        The best of three on validation digits, in units of 1 / clip.
    """

    accuracy: Array
    half_width: Array
    learning_rate: Array


class Promised(NamedTuple):
    """What 300 noisy steps on a tenth of the records each promise.

    Attributes
    ----------
    epsilon : float
        At delta = 1e-5, by adding or removing a record; infinite without noise.
    accuracy, tpr : float
        The most that any attack reaches: its share of right calls where members and others are
        equally many, and its TPR at a false positive rate of 1%.
    """

    epsilon: float
    accuracy: float
    tpr: float


def promised(sigma: float) -> Promised:
    """Return what is stored of the promise of a noise.

    Parameters
    ----------
    sigma : float
        One of `SIGMAS`.

    Notes
    -----
    `mipbook.dpsgd.training_epsilon` and `training_delta`: exact for the worst record, all
    steps published.

    Examples
    --------
    >>> round(promised(4.0).epsilon, 2), promised(0.0).accuracy
    (1.77, 1.0)
    """
    sigma = validate.choice("sigma", sigma, SIGMAS)
    if sigma == 0:
        return Promised(np.inf, 1.0, 1.0)
    arrays, place = load("trained_promise", PROMISED).arrays, SIGMAS.index(sigma) - 1
    return Promised(*(float(arrays[name][place]) for name in ("epsilon", "accuracy", "tpr")))


@lru_cache(maxsize=64)
def trained(network: str, clip: float) -> Trained:
    """Return what is stored of a network at a clip.

    Parameters
    ----------
    network : {"softmax", "64-32-10"}
    clip : float
        One of `CLIPS`.

    Notes
    -----
    Digits of scikit-learn: 898 to train, 300 to pick the learning rate, 599 to test.  The pick
    looks at data and is not accounted for in any epsilon.

    Examples
    --------
    >>> found = trained("softmax", 1.0)
    >>> bool(0.9 < found.accuracy[0] < 1)
    True
    """
    from scipy.stats import t  # slow to import, and only needed here

    run, settings = _STORED[validate.choice("network", network, list(_STORED))]
    clip = validate.choice("clip", clip, CLIPS)
    arrays = load(run, settings).arrays
    place = 0, CLIPS.index(clip)
    best = arrays["validation"][place].mean(axis=-1).argmax(axis=-1)
    tests = len(small_digits().labels) - SETTINGS["train"] - SETTINGS["validation"]
    shares = arrays["test"][place][np.arange(len(best)), best] / tests
    repeats = shares.shape[-1]
    half = t.ppf(0.975, repeats - 1) * shares.std(axis=-1, ddof=1) / np.sqrt(repeats)
    steps = np.array(SETTINGS["learning rates"])[best]
    return Trained(shares.mean(axis=-1), half, steps)


DIMENSIONS = (1, 5, 20)
FPRS = (0.001, 0.01, 0.1)
MODELS = (
    *(4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64),
    *(80, 96, 128, 160, 192, 256, 320, 384, 448, 512),
)
# Offline with a known variance is exact, by `mipbook.mis.mean_attack_tpr`.
SIMULATED = ("online, pooled", "online, each", "offline, each")
SHADOWS: dict[str, Any] = {
    "version": 1,
    "n": 10,
    "dimensions": DIMENSIONS,
    "models": MODELS,
    "attacks": SIMULATED,
    "fpr": FPRS,
    "draws": 100_000,
    "seed": 173,
}


@lru_cache(maxsize=64)
@checked
def few_shadows(
    d: Annotated[int, OneOf(DIMENSIONS)],
    attack: Annotated[str, OneOf(SIMULATED)],
    fpr: Annotated[float, OneOf(FPRS)],
) -> tuple[Array, Array, Array]:
    """Return the TPR of LiRA on the mean of ten records over `MODELS`, and its band's ends.

    Parameters
    ----------
    d : {1, 5, 20}
        Coordinates of a record.
    attack : {"online, pooled", "online, each", "offline, each"}
    fpr : {0.001, 0.01, 0.1}

    Returns
    -------
    tpr, low, high : ndarray of shape (25,)
        Estimates from 100,000 members and as many others, with 95% bands for each alone.

    Examples
    --------
    >>> tpr, low, high = few_shadows(20, "online, pooled", 0.01)
    >>> bool((low < tpr).all() and (tpr < high).all())
    True
    """
    place = DIMENSIONS.index(d), SIMULATED.index(attack), slice(None), slice(None), FPRS.index(fpr)
    tpr, low, high = load("few_shadows", SHADOWS).arrays["tpr"][place].T.astype(float)
    return tpr, low, high
