"""LiRA with few shadow models on the mean of ten normal records, simulated."""

from itertools import product
from typing import Any

import numpy as np

from mipbook.game.curve import roc
from mipbook.mis.mean_attacks import few_shadow_scores
from mipbook.stored.store import Arrays
from mipbook.stored.trained import SHADOWS
from studies.run import Run, told


def played(settings: dict[str, Any]) -> Arrays:
    """Play every attack; return the TPR and the ends of its 95% band.

    Examples
    --------
    >>> few = {**SHADOWS, "dimensions": (5,), "models": (4, 8), "draws": 2000}
    >>> played(few)["tpr"].shape
    (1, 3, 2, 3, 3)
    """
    axes = [settings[name] for name in ("dimensions", "attacks", "models")]
    cases = list(product(*axes))
    draws, found = settings["draws"], []
    member = np.repeat([True, False], draws)
    for place, (d, attack, models) in enumerate(told(cases, "few shadows", "cases")):
        rng = np.random.default_rng((settings["seed"], place))
        scores = few_shadow_scores(models, settings["n"], d, rng, attack=attack, draws=draws)
        curve = roc(np.concatenate(scores), member)
        band = curve.tpr_band(settings["fpr"])
        found.append([curve.tpr_at(settings["fpr"]), band.low, band.high])
    shape = (*map(len, axes), 3, len(settings["fpr"]))
    return {"tpr": np.array(found, dtype=np.float32).reshape(shape)}


RUNS = (Run("few_shadows", SHADOWS, lambda: played(SHADOWS)),)
