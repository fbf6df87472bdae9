"""Accuracy of two networks on digits at every clip and noise, and what is promised."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from explorable import progress, validate
from mipbook import together
from mipbook.base.types import Array
from mipbook.data.mnist import small_digits
from mipbook.learners.clipped import ClippedNetwork
from mipbook.runs import store

__all__ = [
    "CLIPS",
    "NETWORKS",
    "NETWORK_SETTINGS",
    "PROMISED",
    "RATE",
    "RUNS",
    "SETTINGS",
    "SIGMAS",
    "STEPS",
    "Promised",
    "Trained",
    "promised",
    "trained",
    "trained_digits",
    "trained_promise",
]

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
_STORED = {"softmax": "trained_digits", "64-32-10": "trained_network"}


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


def trained_digits(settings: dict[str, Any]) -> store.Arrays:
    """Train at every setting; return how many validation and test digits are told right.

    Examples
    --------
    >>> few = {**SETTINGS, "networks": ["softmax"], "clips": (1.0,), "sigmas": (1.0,), "repeats": 2}
    >>> trained_digits(few)["test"].shape
    (1, 1, 1, 3, 2)
    """
    axes = [settings[name] for name in ("networks", "clips", "sigmas", "learning rates")]
    cases = list(product(*axes))
    with progress.reader() as stream:
        bar = progress.track(cases, stream, total=len(cases), what="clip and noise", unit="cases")
        found = [[_right(settings, case, repeat) for repeat in range(settings["repeats"])] for case in bar]
    shape = (*map(len, axes), settings["repeats"], 2)
    right = np.array(found, dtype=np.uint16).reshape(shape)
    return {"validation": right[..., 0], "test": right[..., 1]}


def _right(
    settings: dict[str, Any], case: tuple[str, float, float, float], repeat: int
) -> tuple[float, float]:
    """Train once; return how many of the validation and of the test digits are told right."""
    network, clip, sigma, step = case
    table = small_digits()
    # Each repeat has its split and its noise, the same in every case.
    rng = np.random.default_rng((settings["seed"], repeat))
    order = rng.permutation(len(table.labels))
    train, held, test = np.split(order, np.cumsum([settings["train"], settings["validation"]]))
    made = ClippedNetwork(NETWORKS[network], clip, sigma, settings["rate"], settings["steps"], step / clip)
    made.fit(table.images[train], table.labels[train], rng, classes=10)
    right = made.predict(table.images) == table.labels
    return float(right[held].sum()), float(right[test].sum())


def trained_promise(settings: dict[str, Any]) -> store.Arrays:
    """Return what each noise promises: epsilon, and the best attack's accuracy and TPR.

    Examples
    --------
    >>> found = trained_promise({**PROMISED, "sigmas": (4.0,)})
    >>> found["epsilon"].round(2).tolist()
    [1.77]
    """
    run, x = (settings["rate"], settings["steps"]), settings["fpr"]
    rows: dict[str, list[float]] = {name: [] for name in ("epsilon", "accuracy", "tpr")}
    with progress.reader() as stream:
        sigmas = settings["sigmas"]
        bar = progress.track(sigmas, stream, total=len(sigmas), what="promises", unit="noises")
        for sigma in bar:
            q, steps = run
            epsilon = together.training_epsilon(q, sigma, steps, settings["delta"])
            rows["epsilon"].append(epsilon)
            rows["accuracy"].append((1 + together.training_delta(q, sigma, steps, 0.0)) / 2)
            # Each point of the privacy curve bounds the TPR from two sides; any grid is valid.
            at = np.linspace(0.0, max(epsilon, 1.0), settings["points"])
            delta = np.array([together.training_delta(q, sigma, steps, float(e)) for e in at])
            steep, flat = np.exp(at) * x + delta, 1 - np.exp(-at) * (1 - x - delta)
            rows["tpr"].append(min(float(steep.min()), float(flat.min()), 1.0))
    return {name: np.array(found) for name, found in rows.items()}


PROMISED: dict[str, Any] = {
    "version": 1,
    "sigmas": SIGMAS[1:],
    "rate": RATE,
    "steps": STEPS,
    "delta": 1e-5,
    "fpr": 0.01,
    "points": 41,
}
RUNS = (
    store.Run("trained_digits", SETTINGS, lambda: trained_digits(SETTINGS)),
    store.Run("trained_network", NETWORK_SETTINGS, lambda: trained_digits(NETWORK_SETTINGS)),
    store.Run("trained_promise", PROMISED, lambda: trained_promise(PROMISED)),
)


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
    `mipbook.together.training_epsilon` and `training_delta`: exact for the worst record, all
    steps published.

    Examples
    --------
    >>> round(promised(4.0).epsilon, 2), promised(0.0).accuracy
    (1.77, 1.0)
    """
    sigma = validate.choice("sigma", sigma, SIGMAS)
    if sigma == 0:
        return Promised(np.inf, 1.0, 1.0)
    arrays, place = store.load("trained_promise").arrays, SIGMAS.index(sigma) - 1
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

    run = _STORED[validate.choice("network", network, list(_STORED))]
    clip = validate.choice("clip", clip, CLIPS)
    arrays = store.load(run).arrays
    place = 0, CLIPS.index(clip)
    best = arrays["validation"][place].mean(axis=-1).argmax(axis=-1)
    tests = len(small_digits().labels) - SETTINGS["train"] - SETTINGS["validation"]
    shares = arrays["test"][place][np.arange(len(best)), best] / tests
    repeats = shares.shape[-1]
    half = t.ppf(0.975, repeats - 1) * shares.std(axis=-1, ddof=1) / np.sqrt(repeats)
    steps = np.array(SETTINGS["learning rates"])[best]
    return Trained(shares.mean(axis=-1), half, steps)
