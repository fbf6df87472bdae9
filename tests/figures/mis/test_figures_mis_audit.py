"""Pictures of audits: what they draw is what the numerics say."""

import numpy as np
import pytest
from scipy import stats
from shared import named, sentence

from explorable.panels import UploadedFile
from mipbook import figures
from mipbook.base.rounding import at_least
from mipbook.mis.known import KNOWN_LEARNERS, known_delta

FEW = UploadedFile("few.csv", "a,b,y\n" + "".join(f"{i},{i * i % 7},{i % 5}\n" for i in range(30)))


def test_certificates_tighten_and_stay_below_the_truth():
    for learner in KNOWN_LEARNERS:
        figure = figures.mis.certificate(learner, 2000, confidence=0.99)
        betting, bernstein = (np.asarray(named(figure, f"{w} (bound)").y) for w in ("betting", "Bernstein"))
        # All are shares of the truth, which the sentence says.
        assert set(named(figure, "truth").y) == {1}
        assert (betting <= 1).all()
        assert (bernstein <= betting + 1e-12).all()
        assert 1 - betting[-1] < 0.35 * (1 - betting[0])
        truth = known_delta(learner)
        # A truth one tenth smaller would be refuted by so many models.
        assert betting[-1] > 0.9 or truth < 0.2
        assert f"Δ is {truth:.3g} (exact)" in sentence(figure)
        assert f"betting bound certifies Δ ≥ {at_least(betting[-1] * truth, 3)}" in sentence(figure)
    assert "certifies nothing" in sentence(figures.mis.certificate(models=10))
    strict, loose = (
        named(figures.mis.certificate(models=500, confidence=c), "betting").y[17] for c in (0.99, 0.9)
    )
    assert strict < loose


def test_the_histogram_truth_is_theorem_14():
    p, counts = np.array([0.5, 0.3, 0.2]), np.arange(6)
    delta = sum(np.abs(counts / 5 - q) @ stats.binom.pmf(counts, 5, q) for q in p) / 2
    assert known_delta(KNOWN_LEARNERS[1]) == pytest.approx(delta, rel=1e-12)
    assert f"Δ is {delta:.3g} (exact)" in sentence(figures.mis.certificate(KNOWN_LEARNERS[1]))


def test_the_lab_tells_memory_from_generalisation():
    tree, linear = (figures.mis.audit_lab(estimator=e, models=60) for e in ("tree", "linear"))
    members, others = (np.asarray(named(tree, w).x) for w in ("members", "others"))
    assert members.max() <= 1e-15
    assert others[30] > 0.1
    certified = [named(f, "Δ (bound)").x[0] for f in (tree, linear)]
    assert certified[0] > 0.6
    assert certified[1] < 0.2
    assert "the security of a tree on this table is at most" in sentence(tree)
    again = figures.mis.audit_lab(estimator="tree", models=100)
    assert named(again, "Δ (bound)").x[0] > certified[0]
    repeats = figures.mis.audit_lab(figures.mis.EXAMPLE_TARGETS[2], "tree", 60)
    assert "proves nothing about a tree" in sentence(repeats)
    for figure in (tree, repeats):
        assert "No number of models can prove that it is safe" in sentence(figure)
    assert repeats.layout.meta["headline"] == "Security at most 1"


def test_a_file_of_ones_own():
    figure = figures.mis.audit_lab(FEW, "tree", 20)
    assert figure.layout.meta["table"][-1][1].startswith("15 records")
    assert "Read: 30 records" in figure.layout.meta["read"]
