"""Membership attacks on networks trained with clip and noise on digits, as a stored run."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import progress
from mipbook.audit.likelihoods import lira_in_turn
from mipbook.base.types import Array
from mipbook.data.mnist import small_digits
from mipbook.learners.clipped import ClippedNetwork
from mipbook.runs import store
from mipbook.runs.clip_noise import RATE, STEPS

__all__ = [
    "ATTACKED_SIGMAS",
    "ATTACKS",
    "MEASURES",
    "RUNS",
    "SETTINGS",
    "Attacked",
    "attacked",
    "attacked_digits",
    "shadow_table",
]

# The network has one hidden layer of 32 units; the clip is 1.
HIDDEN, CLIP = 32, 1.0
ATTACKED_SIGMAS = (0.0, 0.4, 0.5, 0.7, 0.8, 1.0, 1.2, 1.6, 2.0, 4.0, 8.0)
ATTACKS = ("one threshold", "LiRA online", "LiRA online, each variance", "LiRA offline")
MEASURES = ("AUC", "TPR at 1%", "right above 0")
_FPR = 0.01
SETTINGS: dict[str, Any] = {
    "version": 1,
    "hidden": HIDDEN,
    "clip": CLIP,
    "sigmas": ATTACKED_SIGMAS,
    "learning rates": (0.5, 2.0, 8.0),
    # Models that pick the learning rate, on the digits that they were not trained on.
    "tried": 3,
    "models": 64,
    "rate": RATE,
    "steps": STEPS,
    "seed": 172,
}


class Attacked(NamedTuple):
    """What attacks find of networks with clip 1, over `ATTACKED_SIGMAS`.

    Attributes
    ----------
    found : dict
        From an attack to an array of shape (measures, sigmas).
    half_width : dict
        The same, half of the 95% bands by the jackknife over models.
    accuracy, accuracy_half_width : ndarray of shape (sigmas,)
        Share of digits told right by the models that were trained without them.
    learning_rate : ndarray of shape (sigmas,)
        The best of three on models that are not attacked, in units of 1 / clip.
    """

    found: dict[str, Array]
    half_width: dict[str, Array]
    accuracy: Array
    accuracy_half_width: Array
    learning_rate: Array


def shadow_table(
    settings: dict[str, Any], sigma: float, learning_rate: float, models: int, part: int = 0
) -> tuple[Array, NDArray[np.bool_], NDArray[np.bool_]]:
    """Train models on the digits, each digit in by a fair coin; return what they say of all.

    Parameters
    ----------
    settings : dict
        As `SETTINGS`.
    sigma, learning_rate : float
        The noise, and the step in units of 1 / clip.
    models, part : int
        How many models, and which part of the random numbers they draw from.

    Returns
    -------
    scores, included, right : ndarray of shape (models, 1797)
        Log-odds of the right class, which digits each model was trained on, and which it tells
        right.

    Examples
    --------
    >>> shadow_table(SETTINGS, 1.0, 2.0, models=2)[0].shape
    (2, 1797)
    """
    x, y = small_digits()
    scores = np.empty((models, len(y)))
    included, right = np.empty((2, models, len(y)), dtype=bool)
    made = ClippedNetwork(
        settings["hidden"],
        settings["clip"],
        sigma,
        settings["rate"],
        settings["steps"],
        learning_rate / settings["clip"],
    )
    for model in range(models):
        # The same coins and noise at every setting.
        rng = np.random.default_rng((settings["seed"], part, model))
        included[model] = rng.random(len(y)) < 0.5
        made.fit(x[included[model]], y[included[model]], rng, classes=10)
        scores[model] = made.log_odds(x, y)
        right[model] = made.predict(x) == y
    return scores, included, right


def _accuracies(included: NDArray[np.bool_], right: NDArray[np.bool_]) -> Array:
    """Return each model's share of digits told right among those it was not trained on."""
    return np.asarray((right & ~included).sum(axis=1) / (~included).sum(axis=1))


def _picked(settings: dict[str, Any], sigma: float) -> float:
    """Return the learning rate whose models, which are not attacked, read digits best."""
    found = []
    for step in settings["learning rates"]:
        _, included, right = shadow_table(settings, sigma, step, settings["tried"], part=1)
        found.append(_accuracies(included, right).mean())
    return float(settings["learning rates"][int(np.argmax(found))])


def _measured(scores: Array, included: NDArray[np.bool_]) -> Array:
    """Return AUC, TPR at 1% and the share of right calls above 0, means over the models."""
    order = np.argsort(-scores, axis=1)
    flags = np.take_along_axis(included, order, axis=1)
    members = included.sum(axis=1, keepdims=True)
    others = included.shape[1] - members
    tpr = np.cumsum(flags, axis=1) / members
    accused = np.cumsum(~flags, axis=1)
    # Scores are continuous here: ties have no chance.
    auc = (tpr * ~flags).sum(axis=1) / others[:, 0]
    allowed = np.where(accused <= _FPR * others, tpr, 0.0).max(axis=1)
    called = scores > 0
    balanced = (called & included).sum(axis=1) / members[:, 0]
    balanced = (balanced + (~called & ~included).sum(axis=1) / others[:, 0]) / 2
    return np.array([auc.mean(), allowed.mean(), balanced.mean()])


def _every_attack(scores: Array, included: NDArray[np.bool_]) -> Array:
    """Return the measures of every attack, (attacks, measures)."""
    judged = [scores]
    for method, variance in (("online", "pooled"), ("online", "each"), ("offline", "pooled")):
        judged.append(lira_in_turn(scores, included, method=method, variance=variance))
    return np.array([_measured(each, included) for each in judged])


def _jackknife(scores: Array, included: NDArray[np.bool_]) -> Array:
    """Return 1.96 jackknife standard errors over models, each left out as target and shadow."""
    count = len(scores)
    left = np.array([_every_attack(np.delete(scores, i, 0), np.delete(included, i, 0)) for i in range(count)])
    return np.asarray(1.96 * np.sqrt((count - 1) * left.var(axis=0)))


def attacked_digits(settings: dict[str, Any]) -> store.Arrays:
    """Train, attack and measure at every noise.

    Examples
    --------
    >>> few = {**SETTINGS, "learning rates": (2.0,), "sigmas": (0.0,), "models": 30, "steps": 9}
    >>> attacked_digits(few)["found"].shape
    (1, 4, 3)
    """
    sigmas = settings["sigmas"]
    rows: dict[str, list[Any]] = {name: [] for name in ("rate", "found", "half", "accuracy")}
    with progress.reader() as stream:
        for sigma in progress.track(
            sigmas, stream, total=len(sigmas), what="attacks on digits", unit="settings"
        ):
            rows["rate"].append(step := _picked(settings, sigma))
            scores, included, right = shadow_table(settings, sigma, step, settings["models"])
            rows["found"].append(_every_attack(scores, included))
            rows["half"].append(_jackknife(scores, included))
            shares = _accuracies(included, right)
            half = 1.96 * shares.std(ddof=1) / np.sqrt(len(shares))
            rows["accuracy"].append((shares.mean(), half))
    return {name: np.array(found, dtype=np.float32) for name, found in rows.items()}


RUNS = (store.Run("attacked_digits", SETTINGS, lambda: attacked_digits(SETTINGS)),)


@lru_cache(maxsize=1)
def attacked() -> Attacked:
    """Return what is stored of the attacks on a network of 32 hidden units with clip 1.

    Notes
    -----
    64 models, each digit in by a fair coin; each model is attacked with the other 63 as shadows.
    Given the digits the models are independent draws, so the jackknife over models errs on
    the wide side on average, although targets share their shadows.

    References
    ----------
    B. Efron and C. Stein, "The Jackknife Estimate of Variance", Annals of Statistics 1981.

    Examples
    --------
    >>> bool(0.55 < attacked().found["LiRA online"][0, 0] < 0.65)
    True
    """
    arrays = store.load("attacked_digits").arrays
    found, widths = (
        {attack: arrays[key][:, i].T.astype(float) for i, attack in enumerate(ATTACKS)}
        for key in ("found", "half")
    )
    accuracy, half = arrays["accuracy"].T.astype(float)
    return Attacked(found, widths, accuracy, half, arrays["rate"].astype(float))
