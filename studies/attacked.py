"""Membership attacks on networks trained with clip and noise on digits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mipbook.audit.examples import ATTACKED
from mipbook.audit.likelihoods import lira_in_turn
from mipbook.base.types import Array
from mipbook.data.mnist import small_digits
from mipbook.learners.classifiers import ClippedNetwork
from mipbook.stored.store import Arrays
from studies.run import Run, told

_FPR = 0.01


def shadow_table(
    settings: dict[str, Any], sigma: float, learning_rate: float, models: int, part: int = 0
) -> tuple[Array, NDArray[np.bool_], NDArray[np.bool_]]:
    """Train models on the digits, each digit in by a fair coin; return what they say of all.

    Parameters
    ----------
    settings : dict
        As `ATTACKED`.
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
    >>> shadow_table(ATTACKED, 1.0, 2.0, models=2)[0].shape
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


def attacked_digits(settings: dict[str, Any]) -> Arrays:
    """Train, attack and measure at every noise.

    Examples
    --------
    >>> few = {**ATTACKED, "learning rates": (2.0,), "sigmas": (0.0,), "models": 30, "steps": 9}
    >>> attacked_digits(few)["found"].shape
    (1, 4, 3)
    """
    rows: dict[str, list[Any]] = {name: [] for name in ("rate", "found", "half", "accuracy")}
    for sigma in told(settings["sigmas"], "attacks on digits", "settings"):
        rows["rate"].append(step := _picked(settings, sigma))
        scores, included, right = shadow_table(settings, sigma, step, settings["models"])
        rows["found"].append(_every_attack(scores, included))
        rows["half"].append(_jackknife(scores, included))
        shares = _accuracies(included, right)
        half = 1.96 * shares.std(ddof=1) / np.sqrt(len(shares))
        rows["accuracy"].append((shares.mean(), half))
    return {name: np.array(found, dtype=np.float32) for name, found in rows.items()}


RUNS = (Run("attacked_digits", ATTACKED, lambda: attacked_digits(ATTACKED)),)
