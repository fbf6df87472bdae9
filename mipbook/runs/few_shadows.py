"""LiRA with few shadow models on the mean of ten normal records, simulated and stored."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from explorable import progress, validate
from mipbook.base.types import Array
from mipbook.game.curve import roc
from mipbook.runs import store
from mipbook.together.shadows.few import few_shadow_scores

__all__ = ["DIMENSIONS", "FPRS", "MODELS", "RUNS", "SETTINGS", "SIMULATED", "few_shadows", "played"]

DIMENSIONS = (1, 5, 20)
FPRS = (0.001, 0.01, 0.1)
MODELS = (
    *(4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64),
    *(80, 96, 128, 160, 192, 256, 320, 384, 448, 512),
)
# Offline with a known variance is exact, by `mipbook.together.mean_attack_tpr`.
SIMULATED = ("online, pooled", "online, each", "offline, each")
SETTINGS: dict[str, Any] = {
    "version": 1,
    "n": 10,
    "dimensions": DIMENSIONS,
    "models": MODELS,
    "attacks": SIMULATED,
    "fpr": FPRS,
    "draws": 100_000,
    "seed": 173,
}


def played(settings: dict[str, Any]) -> store.Arrays:
    """Play every attack; return the TPR and the ends of its 95% band.

    Examples
    --------
    >>> few = {**SETTINGS, "dimensions": (5,), "models": (4, 8), "draws": 2000}
    >>> played(few)["tpr"].shape
    (1, 3, 2, 3, 3)
    """
    axes = [settings[name] for name in ("dimensions", "attacks", "models")]
    cases = list(product(*axes))
    draws, found = settings["draws"], []
    member = np.repeat([True, False], draws)
    with progress.reader() as stream:
        for place, (d, attack, models) in enumerate(
            progress.track(cases, stream, total=len(cases), what="few shadows", unit="cases")
        ):
            rng = np.random.default_rng((settings["seed"], place))
            scores = few_shadow_scores(models, settings["n"], d, rng, attack=attack, draws=draws)
            curve = roc(np.concatenate(scores), member)
            band = curve.tpr_band(settings["fpr"])
            found.append([curve.tpr_at(settings["fpr"]), band.low, band.high])
    shape = (*map(len, axes), 3, len(settings["fpr"]))
    return {"tpr": np.array(found, dtype=np.float32).reshape(shape)}


RUNS = (store.Run("few_shadows", SETTINGS, lambda: played(SETTINGS)),)


@lru_cache(maxsize=64)
def few_shadows(d: int, attack: str, fpr: float) -> tuple[Array, Array, Array]:
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
    d = validate.choice("d", d, DIMENSIONS)
    attack = validate.choice("attack", attack, SIMULATED)
    fpr = validate.choice("fpr", fpr, FPRS)
    place = DIMENSIONS.index(d), SIMULATED.index(attack), slice(None), slice(None), FPRS.index(fpr)
    tpr, low, high = store.load("few_shadows").arrays["tpr"][place].T.astype(float)
    return tpr, low, high
