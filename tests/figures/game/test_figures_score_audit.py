"""Audit my scores: what is drawn and said is what the package computes of the file."""

import numpy as np
import pandas as pd
import pytest
from shared import sentence

from mipbook import audit, figures, game

RNG = np.random.default_rng(12)
MEMBER = RNG.random(1500) < 0.5
FRAME = pd.DataFrame(
    {
        "score": RNG.standard_normal(1500) + MEMBER,
        "member": MEMBER,
        "other": RNG.standard_normal(1500) + 0.5 * MEMBER,
        "canary": np.arange(1500) < 600,
    }
)
DRAWN = {"fpr": 0.1, "delta": 1e-3, "confidence": 0.9}


def trace(figure, name):
    return next(each for each in figure.data if each.name == name)


@pytest.mark.parametrize("sign", [1, -1])
def test_both_attacks_are_drawn_by_the_step_rule(sign):
    frame = FRAME.assign(score=sign * FRAME["score"], other=sign * FRAME["other"])
    means = "member" if sign == 1 else "not a member"
    figure = figures.game.score_audit(frame, larger_means=means, **DRAWN)
    as_it_is = figures.game.score_audit(FRAME, **DRAWN)
    assert figure.layout.meta["table"] == as_it_is.layout.meta["table"]
    for name, column in (("the attack", "score"), ("second attack", "other")):
        curve = game.roc(FRAME[column], MEMBER)
        line = trace(figure, f"{name} (estimate)")
        want = np.maximum(curve.tpr_at(line.x), 5e-5)
        np.testing.assert_allclose(line.y, want, rtol=1e-12)
        mark = trace(figure, f"{name} at your FPR")
        low, high = curve.tpr_band(0.1, 0.9)
        assert mark.y[0] == curve.tpr_at(0.1)
        np.testing.assert_allclose(mark.y[0] + mark.error_y.array[0], high, rtol=1e-12)
        np.testing.assert_allclose(mark.y[0] - mark.error_y.arrayminus[0], low, rtol=1e-12)
    line = trace(figure, "the attack (estimate)")
    band = trace(figure, "90% band of the whole curve")
    low, _ = game.roc(FRAME["score"], MEMBER).tpr_band(line.x, 0.9, simultaneous=True)
    np.testing.assert_allclose(band.y[-len(line.x) :][::-1], np.maximum(low, 5e-5), rtol=1e-12)


def test_what_is_said_is_what_the_audit_proves():
    figure = figures.game.score_audit(FRAME, **DRAWN)
    rng = np.random.default_rng(61)
    want = audit.audit_scores(
        FRAME["score"], MEMBER, rng, delta=1e-3, confidence=0.9, other=FRAME["other"], canary=FRAME["canary"]
    )
    table = {row[0]: row[1:] for row in figure.layout.meta["table"]}
    assert table["AUC"] == [f"{curve.auc:.4g} (estimate)" for curve in (want.curve, want.other)]
    values = dict(want.rows())
    assert table["AUC"][0] == values["AUC"]
    assert table["report"][0].startswith("ε ≥ ")
    proved = float(table["report"][0].split()[2])
    assert proved <= want.canaries.epsilon < proved + 1e-3
    said = float(sentence(figure).split("canaries prove ε ≥ ")[1].split()[0])
    assert said <= want.canaries.epsilon < said + 0.01
    assert figure.layout.meta["read"].count("is the second attack's score") == 1


def test_one_attack_without_canaries_says_nothing_of_others():
    figure = figures.game.score_audit(FRAME[["score", "member"]])
    assert len(figure.layout.meta["table"][0]) == 2
    assert not any("second" in each.name for each in figure.data)
    for word in ("second", "canaries"):
        assert word not in sentence(figure)
    nobody = FRAME.assign(canary=0).drop(columns="other")
    assert "canaries" not in sentence(figures.game.score_audit(nobody))


def test_a_mark_that_is_none_is_refused_with_its_row():
    frame = FRAME.astype({"canary": int}).assign(canary=2)
    with pytest.raises(ValueError, match="^file: row 2, column 'canary': '2' must be 1 or 0"):
        figures.game.score_audit(frame)
