"""The stored run of LiRA with few shadow models."""

from __future__ import annotations

import numpy as np
import pytest

from mipbook import mis
from mipbook.runs.few_shadows import FPRS, MODELS, SETTINGS, SIMULATED, few_shadows, played


def test_a_smaller_run_falls_where_the_stored_one_says():
    few = {**SETTINGS, "dimensions": (20,), "models": (4, 16), "draws": 20_000}
    again = played(few)["tpr"][0]
    for i, attack in enumerate(SIMULATED):
        for j, models in enumerate((4, 16)):
            for k, fpr in enumerate(FPRS):
                _, low, high = (ends[MODELS.index(models)] for ends in few_shadows(20, attack, fpr))
                mine_low, mine_high = again[i, j, 1:, k]
                # Two bands of one truth overlap.
                assert max(low, mine_low) <= min(high, mine_high)


@pytest.mark.parametrize("fpr", FPRS)
def test_many_models_approach_the_exact_limits(fpr):
    for d in (1, 5, 20):
        limit = {
            "online, pooled": mis.mean_attack_tpr(fpr, 10, d, attack="lira"),
            "online, each": mis.mean_attack_tpr(fpr, 10, d, attack="lira"),
            "offline, each": mis.mean_attack_tpr(fpr, 10, d, attack="offline"),
        }
        for attack in SIMULATED:
            tpr, _, high = few_shadows(d, attack, fpr)
            assert high[-1] > 0.85 * limit[attack]
            assert tpr[-1] < 1.25 * limit[attack] + 0.002


def test_a_variance_for_each_record_needs_many_models():
    pooled, each = (few_shadows(20, f"online, {name}", 0.01) for name in ("pooled", "each"))
    eight = MODELS.index(8)
    assert each[2][eight] < 0.5 * pooled[1][eight]
    assert np.all(np.diff(each[0])[:5] > 0)
