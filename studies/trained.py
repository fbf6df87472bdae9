"""Accuracy of two networks on digits at every clip and noise, and what is promised."""

from itertools import product
from typing import Any

import numpy as np

from mipbook.data.mnist import small_digits
from mipbook.dpsgd.contour import training_delta, training_epsilon
from mipbook.learners.classifiers import ClippedNetwork
from mipbook.stored.store import Arrays
from mipbook.stored.trained import NETWORK_SETTINGS, NETWORKS, PROMISED, SETTINGS
from studies.run import Run, told


def trained_digits(settings: dict[str, Any]) -> Arrays:
    """Train at every setting; return how many validation and test digits are told right.

    Examples
    --------
    >>> few = {**SETTINGS, "networks": ["softmax"], "clips": (1.0,), "sigmas": (1.0,), "repeats": 2}
    >>> trained_digits(few)["test"].shape
    (1, 1, 1, 3, 2)
    """
    axes = [settings[name] for name in ("networks", "clips", "sigmas", "learning rates")]
    cases = list(product(*axes))
    found = [
        [_right(settings, case, repeat) for repeat in range(settings["repeats"])]
        for case in told(cases, "clip and noise", "cases")
    ]
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


def trained_promise(settings: dict[str, Any]) -> Arrays:
    """Return what each noise promises: epsilon, and the best attack's accuracy and TPR.

    Examples
    --------
    >>> found = trained_promise({**PROMISED, "sigmas": (4.0,)})
    >>> found["epsilon"].round(2).tolist()
    [1.77]
    """
    q, steps, x = settings["rate"], settings["steps"], settings["fpr"]
    rows: dict[str, list[float]] = {name: [] for name in ("epsilon", "accuracy", "tpr")}
    for sigma in told(settings["sigmas"], "promises", "noises"):
        epsilon = training_epsilon(q, sigma, steps, settings["delta"])
        rows["epsilon"].append(epsilon)
        rows["accuracy"].append((1 + training_delta(q, sigma, steps, 0.0)) / 2)
        # Each point of the privacy curve bounds the TPR from two sides; any grid is valid.
        at = np.linspace(0.0, max(epsilon, 1.0), settings["points"])
        delta = np.array([training_delta(q, sigma, steps, float(e)) for e in at])
        steep, flat = np.exp(at) * x + delta, 1 - np.exp(-at) * (1 - x - delta)
        rows["tpr"].append(min(float(steep.min()), float(flat.min()), 1.0))
    return {name: np.array(found) for name, found in rows.items()}


RUNS = (
    Run("trained_digits", SETTINGS, lambda: trained_digits(SETTINGS)),
    Run("trained_network", NETWORK_SETTINGS, lambda: trained_digits(NETWORK_SETTINGS)),
    Run("trained_promise", PROMISED, lambda: trained_promise(PROMISED)),
)
