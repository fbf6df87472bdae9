"""The arrows between the notions and their witnesses, against enumeration that shares no code."""

import math

import numpy as np
import pytest
from shared import refused

from mipbook import accounting, game, mip, mis, pmp
from mipbook.mechanisms import tight_mechanism

# By another program: n, e^epsilon, share, and the exact PMP parameter and Delta of the tags.
TAGS = [
    (10, 2.0, 0.38333333333333336, 0.8242475014057726, 0.27449018708042183),
    (1000, 2.0, 1 / 3, 0.6945833352350519, 0.32518579633888295),
    (2, math.e, 0.3765179899179932, 1.48988012564475, 0.31919756669392046),
    (300, math.e, 0.2689414213699951, 1.007417715491215, 0.4419485305383408),
    (1, 4.0, 0.3, 1.3862943611198906, 0.33157894736842103),
    (100, 4.0, 0.22, 1.4219382451207707, 0.5649437049036452),
]


# ----------------------------------------------------------------------------- the twelve arrows


def test_there_are_twelve_arrows_and_none_leads_to_dp_or_from_security():
    assert len(set(accounting.ARROWS)) == 12
    kinds = {(a.start, a.end): a.kind for a in accounting.ARROWS}
    for (start, end), kind in kinds.items():
        assert (kind == "impossible") == (end == "DP" or start == "MIS")
    assert [pair for pair, kind in kinds.items() if kind == "bound"] == [("PMP", "MIS")]


@pytest.mark.parametrize("p", [0.1, 0.6])
def test_from_mip_to_pmp_a_delta_is_needed_and_twice_eta_is_enough(p):
    halves = mip.subsets(6)
    told = np.where(halves[:, [0]], [[1 - p, p, 0]], [[1 - p, 0, p]])  # of one, in or out, by a lot
    for epsilon in (0.0, 3.0, 50.0):
        found = pmp.finite_pmp_delta(told, halves, epsilon)
        assert found == pytest.approx(2 * mip.finite_eta(told, halves), rel=1e-12)
    needing = [(a.start, a.end) for a in accounting.ARROWS if a.needs_delta]
    assert needing == [("MIP", "PMP")]


def test_accuracies_are_those_of_the_conversions_of_each_room():
    right = np.linspace(0.5, 0.9999, 60)
    epsilon = accounting.promised_parameter("DP", right)
    found = {(a.start, a.end): a.accuracy(right) for a in accounting.ARROWS}
    same = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(found["DP", "MIP"], 0.5 + mip.eta_from_dp(epsilon), **same)
    np.testing.assert_allclose(found["DP", "PMP"], pmp.success_bound(epsilon), **same)
    np.testing.assert_allclose(found["DP", "MIS"], 0.5 + mis.delta_from_dp(epsilon) / 2, **same)
    np.testing.assert_allclose(found["PMP", "MIP"], 0.5 + pmp.eta_from_pmp(epsilon), **same)
    security = 0.5 + accounting.delta_from_pmp(epsilon) / 2
    np.testing.assert_allclose(found["PMP", "MIS"], security, **same)
    eta = accounting.promised_parameter("MIP", right)
    security = 0.5 + accounting.delta_from_mip(eta) / 2
    np.testing.assert_allclose(found["MIP", "MIS"], security, **same)
    for ends in (("MIS", "MIP"), ("PMP", "DP"), ("MIP", "DP")):
        assert (found[ends] == 1).all()


def test_the_parameter_lets_the_attacker_be_right_that_often():
    for right in (0.5, 0.6, 0.9, 1.0):
        epsilon = accounting.promised_parameter("DP", right)
        assert game.optimal_accuracy(tight_mechanism(epsilon, 0.0)) == pytest.approx(right)
        assert accounting.promised_parameter("PMP", right) == epsilon
        assert accounting.promised_parameter("MIS", right) == pytest.approx(2 * right - 1)


def test_an_arrow_to_itself_and_other_notions_are_refused():
    for start, end, name in (("DP", "DP", "end"), ("RIP", "DP", "start"), ("DP", "RIP", "end")):
        refused(f"^{name} = ", accounting.arrow, start, end)


# ------------------------------------------------------------------------------- random tags


@pytest.mark.parametrize(("n", "odds", "share", "epsilon", "delta"), TAGS)
def test_tags_against_another_program(n, odds, share, epsilon, delta):
    found = accounting.tag_release(n, odds, share)
    assert found.epsilon == pytest.approx(epsilon, rel=1e-9)
    assert found.delta == pytest.approx(delta, rel=1e-9)
    best = accounting.tag_release(n, odds)
    assert best.epsilon == found.epsilon
    assert found.delta <= best.delta < np.tanh(best.epsilon / 2)
