"""Readings of promises and mechanisms, of k releases, and of other notions, against known values."""

import json
import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm
from shared import refused

from mipbook import accounting, game, mip, mis, pmp, tradeoff
from mipbook.accounting import composed, matching, translate
from mipbook.accounting.composition import LaplaceSum
from mipbook.commands.answers import translate as command
from mipbook.mechanisms import tight_mechanism

KNOWN = {
    "dp": accounting.from_dp(1.0, 1e-5),
    "pure dp": accounting.from_dp(3.0),
    "no promise": accounting.from_dp(np.inf),
    "gaussian": accounting.from_gaussian(1.0),
    "much noise": accounting.from_gaussian(1e4),
    "laplace": accounting.from_laplace(1.0),
    "little noise": accounting.from_laplace(1e-3),
    "three answers": accounting.from_randomised_response(2.0, 3),
    "geometric": accounting.from_geometric(1.0, 2),
    "sample": accounting.from_subsampled_gaussian(1.0, 0.01),
    "nearly all": accounting.from_subsampled_gaussian(0.7, 0.99),
    "table": accounting.from_table([0.5, 0.3, 0.2, 0.0], [0.1, 0.3, 0.3, 0.3]),
    "zcdp": accounting.from_concentrated(0.5),
    "renyi": accounting.from_renyi(8.0, 1.0),
}
# Elsewhere, with 30 digits, by quadrature and enumeration.
FOUND = [
    *(("dp", "advantage", 0.4621225360884371584), ("laplace", "advantage", 0.3934693402873665764)),
    *(("gaussian", "advantage", 0.38292492254802620728), ("zcdp", "advantage", 0.4790984231166209)),
    *(("three answers", "advantage", 0.68047906324239774847), ("renyi", "advantage", 0.4789034631847863)),
    *(("geometric", "advantage", 0.3934693402873665764), ("sample", "advantage", 0.0038292492254802620728)),
    *(("dp", "auc", 0.73106395743153813702), ("laplace", "auc", 0.7240904191214182588)),
    *(("three answers", "auc", 0.87647741624305663989), ("sample", "auc", 0.50260249938906523269)),
    *(("dp", "tpr", 0.001, 0.0027282818284590452354), ("dp", "tpr", 0.01, 0.027192818284590452354)),
    *(("laplace", "tpr", 0.001, 0.0027182818284590452354), ("laplace", "tpr", 0.1, 0.27182818284590452354)),
    *(("three answers", "tpr", 0.01, 0.0738905609893065), ("sample", "delta", 0.5, 2.21451901315306e-7)),
    *(("three answers", "tpr", 0.1, 0.73890560989306502272), ("laplace", "delta", 0.5, 0.2211992169285951)),
    *(("three answers", "delta", 1.0, 0.497470056761464), ("geometric", "delta", 0.5, 0.24491866240370913)),
    ("sample", "delta", 0.05, 0.00031106539544322470371),
]
EXACT = {"advantage": 1e-9, "auc": 1e-13, "tpr": 1e-13, "delta": 1e-10}


def test_readings_against_values_found_elsewhere():
    for name, wanted, *at, value in FOUND:
        found = getattr(KNOWN[name], wanted)
        told = found(*at) if at else found.value
        assert math.isclose(told, value, rel_tol=EXACT[wanted]), (name, wanted, at)
        assert at or wanted == "auc" or found.kind == KNOWN[name].eta.kind == "exact", name
    told = [0.15599921000139992619, 0.67031117400948828179, 0.94818241639803453215]
    found = KNOWN["gaussian"].predictive_value(0.001, [0.01, 0.1, 0.5])
    np.testing.assert_allclose(found, told, rtol=1e-12)


def test_concentrated_promises():
    """Sharp to the digits known elsewhere, and below Canonne, Kamath and Steinke's deltas."""
    found = KNOWN["zcdp"]
    for fpr, sharp in {0.001: 0.02491, 0.01: 0.12459, 0.1: 0.48373}.items():
        assert math.isclose(found.tpr(fpr), sharp, abs_tol=6e-6)
    known = {0.5: (0.33773961136190134, 0.39988984902170777), 2.0: (0.05185840384216045, 0.05429299664026249)}
    for epsilon, (sharp, loose) in known.items():
        assert math.isclose(found.delta(epsilon), sharp, rel_tol=2e-6)
        assert found.delta(epsilon) < loose
    assert found.auc.kind == "bound"


def test_security():
    """Sharp for a DP promise and for Laplace noise; for Gaussian noise what is known."""
    assert math.isclose(KNOWN["dp"].mis.value, mis.delta_from_dp(1.0, 1e-5), rel_tol=1e-12)
    assert math.isclose(KNOWN["laplace"].mis.value, math.tanh(1 / 4), rel_tol=1e-12)
    for mu, (low, high) in {0.5: (0.158170753, 0.163564153), 1.0: (0.311955935, 0.329452255)}.items():
        found = accounting.from_gaussian(1 / mu).mis
        assert found.kind == "bound"
        assert low < found.value <= high + 1e-8
        assert math.isclose(found.value, high, rel_tol=1e-6)


def test_huge_and_tiny_parameters_say_no_nan():
    readings = [
        *(accounting.from_dp(*given) for given in ((800.0,), (0.0, 1.0))),
        *(accounting.from_laplace(scale) for scale in (1e-300, 1e300)),
        *(accounting.from_concentrated(rho) for rho in (1e4, 1e-12)),
        *(accounting.from_renyi(*given) for given in ((1.0001, 5.0), (500.0, 0.001))),
        *(accounting.from_table([1, 0], q) for q in ([0, 1], [1, 0])),
        *(accounting.from_geometric(700.0, 3), accounting.from_subsampled_gaussian(0.01, 1e-9)),
        *(accounting.from_randomised_response(np.inf, 5), accounting.from_gaussian(1e-6)),
    ]
    for found in readings:
        numbers = [found.auc.value, found.mis.value, found.advantage.value]
        numbers += [*found.tpr([0, 0.5, 1]), *found.delta([0, 1, 1e3, np.inf])]
        numbers += [*found.epsilon([0, 1e-5, 0.5, 1]), *found.accuracy([0.01, 0.5, 0.99])]
        assert not np.isnan(numbers).any(), found.what
    assert accounting.from_dp(800.0).epsilon(0.0) == 800.0


def test_a_sample_speaks_of_adding_and_removing():
    """Replacing a record is harder to hide: two mixtures, a part of each on its own side."""
    found = accounting.from_subsampled_gaussian(0.7, 0.3)
    points = np.linspace(-12.0, 12.0, 200_001)
    out = norm.pdf(points, 0.0, 0.7)
    left, right = (0.7 * out + 0.3 * norm.pdf(points, side, 0.7) for side in (-1.0, 1.0))
    step = points[1] - points[0]
    for epsilon in (0.0, 0.1, 0.5):
        replaced = np.maximum(left - np.exp(epsilon) * right, 0.0).sum() * step
        one = found.delta(epsilon / 2)
        assert found.delta(epsilon) < replaced <= one * (1.0 + np.exp(epsilon / 2)) + 1e-9
    assert "coin toss" in found.eta.warning
    assert "fixed size" in str(found)
    assert not KNOWN["gaussian"].eta.warning
    assert found.mis.value > accounting.Reading("as if replaced", found.curve).mis.value


def test_translate_knows_each_form():
    found = translate(epsilon=3, delta=1e-5)
    assert f"{found.accuracy():.4f} {found.tpr(0.01):.3f} {found.eta.value:.4f}" == "0.9526 0.201 0.4526"
    assert f"{1 - found.mis.value:.3f}" == "0.365"
    assert "20.1%" in found.sentence()
    same = {
        "gaussian": translate(sigma=1.0),
        "laplace": translate(scale=2.0, sensitivity=2.0),
        "sample": translate(sigma=1.0, sampling=0.01),
        "zcdp": translate(rho=0.5),
        "renyi": translate(alpha=8.0, epsilon=1.0),
    }
    for name, reading in same.items():
        assert reading.advantage == KNOWN[name].advantage, name
    refused("arguments = .*those of one form.*zCDP", translate, epsilon=1.0, sigma=1.0)


def test_the_report_and_the_command_say_the_same(capsys):
    command(["--epsilon", "3", "--delta", "1e-5", "--neighbours", "replace"])
    told = capsys.readouterr().out
    assert told == f"{translate(epsilon=3, delta=1e-5)}\n"
    command(["--rho", "0.5", "--json"])
    told = json.loads(capsys.readouterr().out)
    known = {"eta": KNOWN["zcdp"].eta.value, "epsilon": float(KNOWN["zcdp"].epsilon(1e-5))}
    for name, said in (("eta", told["eta"]), ("epsilon", told["epsilon"]["1e-05"])):
        assert 0 <= said - known[name] < 1e-10, f"{name} is not rounded up in its last sure digit"
        assert len(repr(said)) <= 14
    assert not told["sharp"]
    command(["--epsilon", "1", "--delta", "0.01", "--json"])
    assert json.loads(capsys.readouterr().out)["epsilon"]["1e-05"] == "inf"


# What is wanted of each, and where it is asked by default.
WANTED = {
    **{"advantage": (0.05,), "auc": (0.53,), "eta": (0.03,), "mis": (0.04,), "tpr": (0.03, 0.01)},
    **{"accuracy": (0.53, 0.5), "epsilon": (2.0, 1e-5), "delta": (1e-3, 1.0)},
}


# What takes seconds of a Rényi promise goes by the same path.
SLOW = [("zcdp", "auc"), ("zcdp", "mis"), ("renyi", "mis")]
PAIRS = [pair for pair in product(accounting.FAMILIES, accounting.READINGS) if pair not in SLOW]


@pytest.mark.parametrize(("family", "wanted"), PAIRS)
def test_the_reading_is_as_wanted_and_a_little_more_leak_is_too_much(family, wanted):
    value, *at = WANTED[wanted]
    found, kind = matching(family, wanted, value), accounting.FAMILIES[family]
    more = kind.made(found.value * (0.999 if kind.hides else 1.001), kind.fixed)
    told, too_much = (getattr(reading, wanted) for reading in (found.reading, more))
    told, too_much = (told(*at), too_much(*at)) if at else (told.value, too_much.value)
    assert told <= value
    if (family, wanted) != ("renyi", "epsilon"):  # a bound that jumps
        assert value < too_much
        assert math.isclose(told, value, rel_tol=1e-9)


# From what each formula says, solved for the parameter by hand.
CLOSED = [
    ("gaussian", "tpr", 0.2, {"at": 0.01}, 1 / (norm.ppf(0.2) - norm.ppf(0.01))),
    ("gaussian", "epsilon", 3.0, {"at": 1e-6}, tradeoff.gaussian_sigma(3.0, delta=1e-6)),
    ("dp", "eta", 0.1, {"fixed": 0.01}, 2 * math.atanh((0.2 - 0.01) / 0.99)),
    ("dp", "accuracy", 0.95, {"at": 0.1, "fixed": 0.0}, math.log(19)),
    ("sample", "advantage", 0.05, {"fixed": 0.2}, 0.5 / norm.ppf((1 + 0.25) / 2)),
    ("geometric", "advantage", 0.2, {"fixed": 2}, -2 * math.log(0.8)),
    *(("randomised response", "tpr", 0.001, {"at": 1e-4, "fixed": k}, math.log(10)) for k in (2, 5, 100)),
]


def test_closed_forms():
    for family, wanted, value, more, known in CLOSED:
        close = 1e-9 if wanted == "epsilon" or family == "randomised response" else 1e-12
        found = matching(family, wanted, value, **more).value
        assert math.isclose(found, known, rel_tol=close), (family, wanted)


def test_what_no_parameter_has_is_refused():
    refused("family = 'normal'", matching, "normal", "eta", 0.1)
    refused("wanted = 'luck'", matching, "dp", "luck", 0.1)
    refused("from 0.01 to", matching, "dp", "tpr", 0.005)
    refused("from 0.2 to .* fixed = 0.2", matching, "dp", "advantage", 0.1, fixed=0.2)
    refused("to below 0.1", matching, "sample", "advantage", 0.1)
    refused("left out", matching, "dp", "eta", 0.1, at=0.5)
    refused("left out", matching, "zcdp", "eta", 0.1, fixed=2.0)
    refused("from 0.5 to", matching, "dp", "accuracy", 0.4)
    refused(r"in \[0, 0.5\)", matching, "dp", "eta", 0.6)


# --- Curves of k releases, and the arrows between notions ------------------------------------------

# Elsewhere, with 40 digits and more: the optimal epsilon at 1e-6, and the advantage.
PURE = {
    1: (0.099998095160767758942, 0.049958374957879972198),
    2: (0.1999963715878281833, 0.049958374957879972198),
    5: (0.4999749218778288552, 0.093516209656532238945),
    10: (0.9993709057217587247, 0.12253622356149266512),
    20: (1.7886091174189804519, 0.17474005073411072416),
    100: (4.774567588, 0.38197261261585603698),
}


@pytest.mark.parametrize("k", PURE)
def test_pure_promises_against_forty_digits(k):
    found = composed(accounting.from_dp(0.1), k)
    epsilon, advantage = PURE[k]
    assert math.isclose(found.epsilon(1e-6), epsilon, rel_tol=2e-10)
    assert found.epsilon(1e-6) <= accounting.epsilon_bounds(0.1, k, 1e-6).least
    assert math.isclose(found.advantage.value, advantage, rel_tol=1e-11)
    assert found.eta.value == found.advantage.value / 2
    assert found.epsilon(0.0) == pytest.approx(0.1 * k, rel=1e-15)


def test_bounds_of_a_hundred_releases():
    told = accounting.epsilon_bounds(0.1, 50, 1e-6)
    np.testing.assert_allclose(told, [5.0, 4.243, 3.967, 3.920], atol=5e-4)
    assert accounting.epsilon_bounds(0.0, 9, 1e-6) == (0.0, 0.0, 0.0, 0.0)
    assert accounting.epsilon_bounds(700.0, 100_000, 1e-300).least == 7e7


def test_laplace_against_forty_digits():
    found = composed(accounting.from_laplace(2.0), 10)
    known = [0.538273183451254691, 0.424078753376514938, 0.307040543187255528, 0.125476836562724568]
    np.testing.assert_allclose(found.delta([0.0, 0.5, 1.0, 2.0]), known, rtol=1e-13, atol=0)
    assert found.releases == 10
    assert "this is 10 together" in str(found)


def test_renyi_promises_add_up():
    renyi = composed(accounting.from_concentrated(0.05), 10)
    assert renyi.delta(1.0) == accounting.from_concentrated(0.5).delta(1.0)
    assert not renyi.sharp


def test_what_cannot_be_composed_is_refused():
    refused("k = 501", composed, accounting.from_laplace(1.0), 501)
    refused("loss up to 50", composed, accounting.from_laplace(1e-3), 2)
    for reading in (
        accounting.from_subsampled_gaussian(1.0, 0.1),
        accounting.from_table([0.31, 0.27, 0.42], [0.2, 0.3, 0.5]),
    ):
        refused("reading = .*for a table take repeated_table", composed, reading, 2)
    refused(r"second = (.|\n)*20 rows", accounting.joint_table, pmp.design_bit(), np.ones((6, 1)))
    refused("first = .*probability vectors", accounting.joint_table, [[0.5, 0.4]], [[1.0]])
    refused(r"first = .*2 dimensions.*in \[0, 1\]", accounting.joint_table, [0.5, 0.5], [[1.0]])
    refused("q = 9: must be an odd prime", accounting.field_deltas, 9)
    refused("k = 40", accounting.repeated_table, np.full((20, 12), 1 / 12), 40)


def test_extremes():
    once = accounting.from_laplace(1.0)
    assert composed(once, 1) is once
    assert composed(accounting.from_dp(math.inf), 2).epsilon(0.5) == math.inf
    assert composed(accounting.from_dp(0.0), 100_000).advantage.value == 0.0
    assert composed(accounting.from_dp(0.0, 0.01), 2).advantage.value == pytest.approx(0.0199)
    strong = composed(accounting.from_dp(800.0), 3)
    assert strong.epsilon(0.0) == 2400.0
    assert strong.tpr([0.0, 0.1]).tolist() == [0.0, 1.0]
    many = composed(accounting.from_dp(1e-3), 100_000)
    gaussian = accounting.from_gaussian(1 / (1e-3 * math.sqrt(100_000)))
    assert math.isclose(many.advantage.value, gaussian.advantage.value, rel_tol=1e-3)
    # Of losses of 20, what the exponentials would be outside their cells is not asked: no warning.
    largest = LaplaceSum(20.0, 500)
    assert 1 - 1e-12 < largest.advantage <= 1
    assert np.isfinite(largest.epsilon(np.array([1e-9, 0.5]))).all()


# By another program: n, e^epsilon, share, and the exact PMP parameter and Delta of the tags.
TAGS = [
    (10, 2.0, 0.38333333333333336, 0.8242475014057726, 0.27449018708042183),
    (1000, 2.0, 1 / 3, 0.6945833352350519, 0.32518579633888295),
    (2, math.e, 0.3765179899179932, 1.48988012564475, 0.31919756669392046),
    (300, math.e, 0.2689414213699951, 1.007417715491215, 0.4419485305383408),
    (1, 4.0, 0.3, 1.3862943611198906, 0.33157894736842103),
    (100, 4.0, 0.22, 1.4219382451207707, 0.5649437049036452),
]


def test_there_are_twelve_arrows_and_none_leads_to_dp_or_from_security():
    assert len(set(accounting.ARROWS)) == 12
    kinds = {(a.start, a.end): a.kind for a in accounting.ARROWS}
    for (start, end), kind in kinds.items():
        assert (kind == "impossible") == (end == "DP" or start == "MIS")
    assert [pair for pair, kind in kinds.items() if kind == "bound"] == [("PMP", "MIS")]
    assert [(a.start, a.end) for a in accounting.ARROWS if a.needs_delta] == [("MIP", "PMP")]
    for start, end, name in (("DP", "DP", "end"), ("RIP", "DP", "start"), ("DP", "RIP", "end")):
        refused(f"^{name} = ", accounting.arrow, start, end)


def test_accuracies_are_those_of_the_conversions_of_each_room():
    right = np.linspace(0.5, 0.9999, 60)
    epsilon, eta = (accounting.promised_parameter(kind, right) for kind in ("DP", "MIP"))
    for start, end, accuracy in (
        ("DP", "MIP", 0.5 + mip.eta_from_dp(epsilon)),
        ("DP", "PMP", pmp.success_bound(epsilon)),
        ("DP", "MIS", 0.5 + mis.delta_from_dp(epsilon) / 2),
        ("PMP", "MIP", 0.5 + pmp.eta_from_pmp(epsilon)),
        ("PMP", "MIS", 0.5 + accounting.delta_from_pmp(epsilon) / 2),
        ("MIP", "MIS", 0.5 + accounting.delta_from_mip(eta) / 2),
        *(("MIS", "MIP", 1.0), ("PMP", "DP", 1.0), ("MIP", "DP", 1.0)),
    ):
        found = accounting.arrow(start, end).accuracy(right)
        np.testing.assert_allclose(found, accuracy, rtol=1e-12, atol=1e-12, err_msg=f"{start}, {end}")
    assert (accounting.promised_parameter("PMP", right) == epsilon).all()
    np.testing.assert_allclose(accounting.promised_parameter("MIS", right), 2 * right - 1, atol=1e-12)
    assert game.optimal_accuracy(tight_mechanism(epsilon[30], 0.0)) == pytest.approx(right[30])


@pytest.mark.parametrize(("n", "odds", "share", "epsilon", "delta"), TAGS)
def test_tags_against_another_program(n, odds, share, epsilon, delta):
    found = accounting.tag_release(n, odds, share)
    assert found.epsilon == pytest.approx(epsilon, rel=1e-9)
    assert found.delta == pytest.approx(delta, rel=1e-9)
    best = accounting.tag_release(n, odds)
    assert best.epsilon == found.epsilon
    assert found.delta <= best.delta < np.tanh(best.epsilon / 2)
