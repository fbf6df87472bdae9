"""Audit my scores: what is drawn and said is what the package computes of the file."""

import numpy as np
import pandas as pd
import pytest
from shared import sentence

from mipbook import audit, figures

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
