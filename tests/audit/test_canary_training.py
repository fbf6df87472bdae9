"""Runs on digits with canaries, the last model's exact epsilon, and what is stored of both."""

import numpy as np
import pytest

from mipbook import audit
from mipbook.audit import examples as stored
from mipbook.audit.examples import ATTACKED, ATTACKED_SIGMAS, ATTACKS, MEASURES
from mipbook.game import roc
from mipbook.stored import load
from mipbook.stored.trained import promised
from studies import attacked as run
from studies import canaries


def test_the_last_model_reference_values():
    for sigma, known in ((0.7, 15.674), (1.0, 9.4966), (2.0, 3.9281), (4.0, 1.7442)):
        assert audit.last_model_epsilon(sigma, 0.1, 300, 1e-5) == pytest.approx(known, abs=1e-3)
    assert audit.last_model_epsilon(1.0, 0.1, 300, 1.0) == 0.0
    assert audit.last_model_epsilon(100.0, 1e-9, 1, 1e-5) == 0.0
    with pytest.raises(ValueError, match="such that epsilon is at most 700"):
        audit.last_model_epsilon(0.1, 0.9, 50, 1e-5)
    low, high = (audit.last_model_epsilon(1.0, 0.5, 10, d) for d in (1e-3, 1e-9))
    assert 0 < low < high


def test_a_reduced_run_repeats_the_stored_numbers():
    again = canaries._trained({**stored.TRAINED, "sigmas": (1.0,), "repeats": 1})
    kept = load("canaries_digits").arrays
    at = stored.TRAINED["sigmas"].index(1.0)
    assert np.abs(again["right"][0] - kept["right"][at, :1].astype(int)).max() <= 3
    assert again["measured"][0] == pytest.approx(kept["measured"][at, :1], abs=0.2)


def test_a_reduced_table_repeats_the_stored_numbers():
    settings = {**stored.TABLE, "canaries": (300,), "guessed": (0.2,), "right": (60, 80, 100)}
    again = canaries._proofs(settings)["epsilon"][0, 0]
    kept = stored.proof_table(300, 0.2)
    for row, method in zip(again, stored.METHODS, strict=True):
        assert row == pytest.approx(getattr(kept, method)[[10, 30, 50]], abs=1e-9)


def test_no_stored_audit_exceeds_what_the_model_can_tell():
    for at, sigma in enumerate(stored.TRAINED["sigmas"]):
        truth = audit.last_model_epsilon(sigma, 0.1, 300, 1e-5)
        for guessed in stored.TRAINED["guessed"]:
            found = stored.digit_audit(guessed)
            assert max(values[at].max() for values in found.epsilon.values()) < truth


# --- The stored attacks on networks trained with clip and noise on digits -------------------------


def test_measures_are_those_of_the_roc_curve():
    rng = np.random.default_rng(0)
    included = rng.random((5, 900)) < 0.5
    scores = rng.standard_normal((5, 900)) + 0.7 * included
    curves = [roc(row, bits) for row, bits in zip(scores, included, strict=True)]
    called = [curve.confusion(1e-12) for curve in curves]
    told = [(c.auc, c.tpr_at(0.01), (s.tpr + 1 - s.fpr) / 2) for c, s in zip(curves, called, strict=True)]
    assert run._measured(scores, included) == pytest.approx(np.mean(told, axis=0))


def test_the_jackknife_of_a_mean_is_its_standard_error(monkeypatch):
    monkeypatch.setattr(run, "_every_attack", lambda scores, included: scores.mean(axis=0))
    scores = np.random.default_rng(1).standard_normal((40, 3))
    found = run._jackknife(scores, scores > 0)
    assert found == pytest.approx(1.96 * scores.std(axis=0, ddof=1) / np.sqrt(40))


def test_models_see_the_digits_that_their_coins_say():
    scores, included, right = run.shadow_table(ATTACKED, 0.0, 2.0, models=2)
    assert (scores == run.shadow_table(ATTACKED, 0.0, 2.0, models=2)[0]).all()
    assert 0.4 < included.mean() < 0.6
    assert (right == (scores > 0)).mean() > 0.97  # above one half is surely the largest
    assert right[included].mean() > right[~included].mean()
    assert (run.shadow_table(ATTACKED, 0.0, 2.0, 2, part=1)[1] != included).any()


def test_a_smaller_run_falls_near_the_stored_one():
    few = {**ATTACKED, "sigmas": (0.0,), "learning rates": (2.0,), "models": 32}
    again, kept = run.attacked_digits(few), stored.attacked()
    for i, attack in enumerate(ATTACKS):
        gap = np.abs(again["found"][0, i, 0] - kept.found[attack][0, 0])
        # Half as many shadow models find less; one learning rate was tried, not three.
        assert gap <= again["half"][0, i, 0] + kept.half_width[attack][0, 0] + 0.03
    assert again["accuracy"][0, 0] == pytest.approx(kept.accuracy[0], abs=0.02)


def test_no_attack_passes_the_promise():
    found = stored.attacked()
    for place, sigma in enumerate(ATTACKED_SIGMAS):
        allowed = promised(sigma)
        for attack in ATTACKS:
            least = found.found[attack][:, place] - found.half_width[attack][:, place]
            assert least[MEASURES.index("TPR at 1%")] <= allowed.tpr
            assert least[MEASURES.index("right above 0")] <= allowed.accuracy
    online, one = found.found["LiRA online"][0], found.found["one threshold"][0]
    assert online[0] > one[0] + 0.05
    assert online[-1] < online[0]
