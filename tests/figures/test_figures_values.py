"""Single figures, part by part: what they draw and say is what the package computes."""

import importlib
import re
from itertools import combinations, product

import numpy as np
import pytest
from shared import named, refused, sentence

from explorable.panels import Explorable, UploadedFile
from mipbook import accounting, dpsgd, figures, game, learners, mip, mis, pmp, stored
from mipbook.audit import mean_lower_bound
from mipbook.audit.examples import EXAMPLES
from mipbook.dpsgd.profile import schedule
from mipbook.figures import together
from mipbook.figures.together.implications import _KNOWS
from mipbook.mis.discrete import worst_case_delta_from_counts
from mipbook.stored import trained as runs
from mipbook.stored.pmp import FIGURE_1


def test_the_handles_of_posterior_bars_are_the_tops_of_its_bars():
    panel = Explorable(figures.mip.posterior_bars)
    for grab in panel.figure().layout.meta["grab"]:
        stops = panel.controls[grab["control"]].stops
        for stop in (stops[0], stops[7], stops[-1]):
            figure = panel.figure(**{grab["control"]: stop})
            bar = named(figure, "Zoe is in" if grab["control"].startswith("in") else "Zoe is out")
            place = 1 if grab["control"] == "in_b" else 0
            assert grab["track"]["y"][stops.index(stop)] == pytest.approx(bar.y[place], abs=1e-4)


def test_print_figures_draw_both_bells_and_the_papers_lines():
    bells = figures.game.tracing_print(400, 100, 0.1).axes[0].lines
    for line, density in zip(
        bells, game.TracingAttack(400, 100, 0.1).densities(bells[0].get_xdata()), strict=False
    ):
        np.testing.assert_allclose(line.get_ydata(), density)
    lines = figures.mip.noise_vs_eta_print().axes[0].lines
    names = [f"DP, n = {n} (exact)" for n in (36, 40, 44, 48)]
    assert [line.get_label() for line in lines] == ["MIP, any n (bound)", *names]
    eta, noise = lines[4].get_data()
    np.testing.assert_allclose(noise, mip.laplace_dp_scale(eta, mip.reciprocal_sensitivity(48)))


def test_one_slice_tells_most_however_loud_the_label_is():
    """Of twins whose odds differ in their last digits alone the purple must not hop to the other."""
    for epsilon, share in ((10.0, "50"), (100.0, "70"), (500.0, "70"), (1000.0, "70")):
        figure = figures.pmp.not_monotone(epsilon=epsilon)
        assert named(figure, "how often, with a person").text[0].startswith(f"<b>{share}<br>")
        # It is the slice that stands alone: beside it are two, and they are alike.
        law = 1 - int(share) / 100
        turns = np.arctan2(
            np.array(named(figure, "with a person").x[1::3]) + 1.14, named(figure, "with a person").y[1::3]
        )
        assert np.sort(turns / (2 * np.pi) % 1)[1:] == pytest.approx([1 - law, 1 - law / 2], abs=5e-3)


def test_the_plank_balances_and_zoe_moves_its_pivot():
    for n, place in ((2, 3.0), (10, 1.5), (100, -2.0), (1000, 1.0)):
        others = np.asarray(named(figures.mis.mean_plank(n, 1, place), "other people").x)
        # Balanced without her; of a crowd, up to the heaps that they stand in.
        assert np.mean(others) == pytest.approx(0, abs=1e-12 if n <= 40 else 0.05)
    zoes = [trace for trace in figures.mis.mean_plank(1000, 100).data if trace.name.startswith("Zoe")]
    assert [len(trace.x) for trace in zoes] == [1, 6]


def test_the_sceptic_is_convinced_where_the_certificate_is():
    for file, learner in product(EXAMPLES, ("tree", "linear")):
        bets = [figures.mis.audit_bets(asked, file, learner) for asked in range(1, 17)]
        right = [
            sum(len(named(each, f"{who} told right").x) for who in ("members", "strangers")) for each in bets
        ]
        figure, right = bets[-1], np.array(right)
        proved = "full" in figure.layout.meta["headline"]
        assert proved == (mean_lower_bound(right / 40) > 0.5) == (learner == "tree" and file != EXAMPLES[2])
        assert (max(named(figure, "her coins").y) >= 20) == proved


def test_the_seeds_of_the_paper_run():
    """What is reached, and what is not, depends on the seed; the band and the words say so."""
    run = stored.load("overfitting_1_seeds").arrays
    late = figures.mis.mis_figure_1(threshold=1e-6, iteration=3000)
    drawn = "members, lowest", "members below", "members, all seeds", "fresh below"
    low, members, high, fresh = (named(late, name).y for name in drawn)
    np.testing.assert_allclose(low, run["train"][:, :, 0].min(axis=0) / 1000)
    np.testing.assert_allclose(high, run["train"][:, :, 0].max(axis=0) / 1000)
    assert all(a <= m <= b for a, m, b in zip(low, members, high, strict=True))
    assert max(fresh) < 0.02


def test_the_live_run_separates_and_is_attacked():
    late = figures.mis.train_and_attack(50, 64, iteration=1000, threshold=1e-4)
    place = named(late, "your iteration")
    assert place.y[2] > 0.95
    rng = np.random.default_rng(20231013)
    members, others = (learners.sine_data(k, 10, 0.1, rng) for k in (50, 500))
    fresh = learners.ReluRegression(64, 0.02, 1000).fit(*members, rng=rng).losses(*others)
    # The steps left of the threshold hold what is below it; the last point only closes the outline.
    steps = named(late, "fresh losses")
    edges, shares = np.array(steps.x)[1:], np.array(steps.y)[:-1]
    assert shares[edges <= named(late, "threshold").x[0] * 1.001].sum() == pytest.approx(place.y[1], abs=1e-9)
    assert shares[edges <= 0.1001].sum() == pytest.approx((fresh <= 0.1).mean(), abs=0.02)


def test_what_figure_2b_integrates_is_what_five_models_count():
    for level in (1e-4, 1e-3, 1e-2, 0.1):
        figure = figures.mis.mis_figure_2b(threshold=level)
        counted, curve = (np.array(named(figure, f"fresh{s}").y) for s in (", counted", " (estimate)"))
        assert np.abs(counted - curve).max() < 0.035
    assert set(named(figures.mis.mis_figure_2b(to=0), "fresh, counted").y) == {None}


def test_lines_lead_from_digits_to_their_centres():
    """Four of the ten are the digits that Table 1's run keeps."""
    pictures = stored.load("table1").arrays["pictures"]
    figure = figures.mis.mnist_table(30, 500)
    z, ends = np.array(figure.data[0].z)[::-1], np.array(named(figure, "to its").x[1::3])
    assert z.shape == (96, 280)
    for place, digit in enumerate((2, 4, 7, 9)):
        for half, row, middle in ((z[:28], 0, 28 * digit + 14), (z[-28:], 2, ends[digit] + 0.5)):
            left = round(middle - 14)
            kept = pictures[row, place].reshape(28, 28) / 255
            assert np.allclose(half[:, left : left + 28], kept, atol=0.04)
    shared = [len(set(named(figures.mis.mnist_table(k, 500), "to its").x[1::3])) for k in (2, 10, 300)]
    assert shared == [2, 8, 10]


@pytest.mark.parametrize("test", ["raw digits", "their centroids"])
def test_the_trade_off_has_one_point_for_each_clustering(test):
    run = stored.table1()
    accuracy = run.raw if test == "raw digits" else run.centroids
    for row, n in enumerate(run.sizes):
        figure = figures.mis.mnist_trade_off(n, test)
        plain, labelled = (named(figure, s) for s in ("atoms: clusters", "atoms: with"))
        assert plain.y == pytest.approx(accuracy[:, row, 1:].mean(axis=0))
        assert list(plain.y) == list(labelled.y)
        # Raw digits are judged by the same law: 3,000 different pictures.
        assert named(figure, "raw").x[0] == pytest.approx(1 - (1 - 1 / 3000) ** n, rel=1e-9)
        single, three = (named(figures.mis.mnist_trade_off(n, test, k), "atoms: clusters") for k in (1, 3))
        assert single.y == pytest.approx(accuracy[0, row, 1:])
        assert single.error_y.visible is False
        assert three.error_y.array == pytest.approx(accuracy[:3, row, 1:].std(axis=0, ddof=1))


def own(rows, wanted, n):
    """Draw the lab of a file with two classes, three apart."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    x = rng.normal(size=(rows, 2)) + 3 * y[:, None]
    text = "".join(f"{p:.3f};{q:.3f};{k + 5}\n" for (p, q), k in zip(x, y, strict=True)).replace(".", ",")
    file = UploadedFile("mine.csv", f"a;b;class\n{text}")
    return file, figures.mis.discretise_lab(file, wanted, n)


def test_the_lab_reads_a_file_of_ones_own_also_with_few_different_records():
    _, figure = own(400, 30, 200)
    assert "right on" in sentence(figure)
    assert named(figure, "raw").y[0] > 0.9
    # 80 records each for clusters and tests leave 240, whatever n asks for.
    assert "on 240 records" in sentence(own(400, 30, 1000)[1])
    file = UploadedFile("two.csv", "x,class\n" + "1,0\n2,1\n" * 60)
    figure = figures.mis.discretise_lab(file, 100, 200)
    assert named(figure, "without labels").y[-1] == 1.0
    # Two atoms, 36 and 36 or so of 72: security near that of one fair bit.
    fair = mis.worst_case_security([0.5, 0.5], 72)
    assert named(figure, "with labels").x[-1] == pytest.approx(fair, abs=0.02)


def test_the_lab_says_how_many_clusters_there_are():
    _, figure = own(100, 100, 500)
    assert "on 60 records in 20 clusters (100 were asked for)" in sentence(figure)
    assert [each.strip() for each in named(figure, "without labels").text] == ["3", "10", "20", "K = 20"]
    assert "20 clusters" in figure.layout.meta["alt"]
    assert "asked for" not in sentence(figures.mis.discretise_lab("three arms (made up)", 100, 500))
    # What is certain: 20 clusters with two labels, from their number alone.
    certain = np.floor(1e3 * (1 - np.sqrt(39 / 60) / 2)) / 1e3
    assert f"none below {figures.words.say(certain)} (bound)" in sentence(figure)


def test_the_lab_corrects_what_few_records_flatter():
    """The frequencies of 60 records in 20 clusters announce too much security."""
    rng, n = np.random.default_rng(4), 60
    p = rng.dirichlet(np.full(20, 2.0))
    drawn = [rng.multinomial(n, p) for _ in range(200)]
    truth = mis.worst_case_delta(p, n)
    rough = np.mean([mis.worst_case_delta(c / n, n) for c in drawn])
    better = np.mean([worst_case_delta_from_counts(c, n) for c in drawn])
    assert rough < truth - 0.015
    assert abs(better - truth) < (truth - rough) / 2
    file, figure = own(100, 100, 500)
    lab = importlib.import_module("mipbook.figures.mis.mnist_lab")
    counts = np.bincount(lab._clustering(file, 100).cluster(lab._population(file)[0].pool.x))
    flattered = 1 - mis.worst_case_delta(counts / n, n)
    assert named(figure, "without labels").x[-1] < flattered - 0.01


def test_figure_2_meets_the_quote_and_figure_1_says_how_far_it_is():
    second = figures.pmp.pmp_figure_2()
    assert (named(second, "quoted").x[0], named(second, "quoted").y[0]) == (50.0, 0.0123)
    drawn = [(second, name, 50.0, 0.012, 0.08) for name in ("ε̃ / ε(X)", "ε̃ / ε (")]
    for convention, mean in (("attained", 0.106), ("triangle", 0.058)):
        drawn.append((figures.pmp.pmp_figure_1(convention=convention), "ε̃ / ε (", 1.0, mean, 0.1))
        assert "0.075" in sentence(drawn[-1][0])
    for figure, name, at, mean, within in drawn:
        curve = named(figure, name)
        assert curve.y[list(curve.x).index(at)] == pytest.approx(mean, rel=within)
    for other in ({"to": 3}, {"held": "epsilon"}, {"average": "worst"}, {"vary": "epsilon", "to": 2}):
        assert "0.075" not in sentence(figures.pmp.pmp_figure_1(**other))


def lab(text, *settings):
    return figures.pmp.ratio_lab(UploadedFile("a.csv", text), *settings)


def test_the_lab_draws_any_setting_of_a_file_by_either_mechanism():
    figure = lab("n,m,d,C,sigma,epsilon,outliers,factor,T\n3,7,2,4,2,3,1,5,6\n5,7,2,4,2,3,1,5,6\n")
    case = {"objects": 7, "dimension": 2, "clip": 4.0, "sigma": 2.0, "epsilon": 3.0, "outliers": 1}
    cases = [{**case, "factor": 5.0, "n": n, "subset": True} for n in (3, 5)]
    for at, drawn in enumerate(pmp.sweep(pmp.exponential_trial, cases, trials=6, seed=FIGURE_1.seed)):
        for name, over in (("ε̃ / ε(X)", "surrogate"), ("ε̃ / ε (", "epsilon"), ("ε̃ / exact", "subset")):
            want = np.mean([t.pmp / getattr(t, over) for t in drawn])
            assert named(figure, name).y[at] == pytest.approx(want, rel=1e-9)
    assert list(named(figure, "ε̃ / ε (").x) == [3, 5]
    noisy = lab("n,d,C,delta,T\n20,3,9,0.001,4\n", "epsilon", "second", "worst")
    case = {"n": 20, "dimension": 3, "clip": 9.0, "delta": 0.001, "sigma": 1.0, "epsilon": 5.0, "outliers": 0}
    case |= {"factor": 100.0, "held": "epsilon", "sensitivity": "C/n"}
    (drawn,) = pmp.sweep(pmp.gaussian_trial, [case], trials=4, seed=FIGURE_1.seed)
    want = max(t.epsilon_pmp / t.epsilon for t in drawn)
    assert named(noisy, "ε̃ / ε (").y[0] == pytest.approx(want, rel=1e-9)
    assert "column 'delta' is δ" in noisy.layout.meta["read"]


def test_six_bets_are_six_arrows():
    asked, spies = set(), {said: notion for notion, said in _KNOWS.items()}
    for round in range(6):
        figure = together.six_bets(round)
        both = re.findall("<b>(.+?)</b>", " ".join(named(figure, "how often").text))
        arrow = accounting.arrow(*(spies[spy] for spy in both))
        asked.add(arrow)
        held = figure.layout.meta["answer"] == "held"
        assert held == (arrow.kind != "impossible" and not arrow.needs_delta)
        told = figure.layout.meta["after"][-1]["marks"]["how often"]["text"][1]
        often = 100 * float(arrow.accuracy(0.75)) if held else 100
        assert float(re.search(r" ([\d.]+) in 100", told)[1]) == pytest.approx(often, abs=0.05)
    assert len(asked) == 6


def test_the_digit_that_is_published_names_two_of_four():
    figure = together.six_bets(2)
    last = int(named(figure, "said of them").text[-1][-5])
    fours = list(named(figure, "said of them").x[:4])
    (pair,) = (pair for pair in combinations(range(4), 2) if sum(2**i for i in pair) % 10 == last)
    assert [fours.index(x) for x in named(figure, "was in").x] == list(pair)


@pytest.mark.parametrize("seen", ["name", "houses", "both"])
def test_the_best_spy_of_two_pages_plays_by_them(seen):
    for figure in (together.name_one(round, seen) for round in range(24)):
        answer, best = figure.layout.meta["answer"], figure.layout.meta.get("optimal")
        # Where all stand once it is answered.
        side = np.mean(named(figure, "the study").x) > 0
        marks = figure.layout.meta["after"][0]["marks"]
        *_, zoe = ten = list(zip(marks["the ten"]["x"], marks["the ten"]["y"], strict=True))
        assert sum((x > 0) == side for x, _ in ten) == 5
        assert ((zoe[0] > 0) == side) == (answer == "in")
        if seen == "houses":
            assert best is None
            continue
        (printed,) = named(figure, "page two, in words").text
        names = list(named(figure, "the ten").customdata)
        who = names.index(printed.removeprefix("studied:<br><b>").removesuffix("</b>"))
        assert (ten[who][0] > 0) == (marks["page two, in words"]["x"][0] > 0) == side
        own = names[who] == "Zoe"
        assert best == (answer if seen == "both" else "in" if own else "out")


@pytest.mark.parametrize("clip", [0.5, 2.0, 5.0])
def test_the_disks_stand_a_tenth_of_a_clip_apart_and_are_as_wide_as_the_noise(clip):
    figure = together.clipped_pulls(clip, 2.0)
    drawn = [named(figure, name) for name in ("with Zoe", "without her")]
    disks = [np.array([each.x, each.y], dtype=float) for each in drawn]
    middles = [(disk.min(axis=1) + disk.max(axis=1)) / 2 for disk in disks]
    assert [np.ptp(disk[0]) for disk in disks] == pytest.approx([0.4 * clip] * 2)
    assert np.hypot(*(middles[0] - middles[1])) == pytest.approx(clip / 10, rel=0.01)
    longest = named(figure, "Zoe's pull")
    assert np.hypot(longest.x[1], longest.y[1]) == pytest.approx(clip)


def test_a_stored_plan_is_what_is_computed():
    at = (1000, 500, 10)
    sampling, steps = schedule(*at)
    sides = dpsgd.certified_epsilon(sampling, 2.0, steps, 1e-5)
    assert runs.plan(*at, 2.0) == pytest.approx([sides.low, sides.high], rel=1e-9)
    assert runs.plan(*at, 1.1)[1] > runs.plan(*at, 2.0)[1] + 0.1
    noise = dpsgd.certified_sigma(sampling, steps, 8.0, 1e-5)
    assert runs.needed(*at, 8.0) == pytest.approx(noise, rel=1e-9)


def test_a_table_of_ones_own_is_read():
    text = "out,in\n0.2,0.5\n0.3,0.3\n0.5,0.2\n"
    file = UploadedFile("mine.csv", text, {"inside": ["in"], "outside": ["out"]})
    meta = together.side_by_side(file=file).layout.meta
    assert [row[0] for row in meta["table"]] == ["release", "first", "second", "table"]
    assert "σ = 1, 1-GDP (exact), 2.5% through your table (exact)." in meta["sentence"]
    # By hand: an advantage of 0.3, and the first output at a rate of 1%.
    assert meta["table"][3][1:3] == ["65%", "2.5%"]
    assert "column 'in' holds the chances with the record in" in meta["read"]


RATIO, CLIP, TABLE = (
    (figures.pmp.ratio_lab, "file"),
    (together.clip_lab, "norms"),
    (together.side_by_side, "file"),
)


@pytest.mark.parametrize(
    ("drawn", "text", "told"),
    [
        (RATIO, "n,m\n2.5,3\n", "n = 2.5 must be a whole number"),
        (RATIO, "n,m\n3,3\n3,0\n", "column 'm' must be above 0 in all rows"),
        (RATIO, "n,m\n0,3\n", "n"),
        (RATIO, "a,b\n1,2\n", "names none of"),
        (RATIO, "n,T\n3,1\n", "T"),
        (CLIP, "norm\n1\n-2\n3", "norms"),
        (CLIP, "norm\n0\n0\n0", "norms"),
        (TABLE, "in,out\n0.5,0.2\n0.4,0.8\n", "column 'in' .*sum of 0.9"),
        (TABLE, "in,out\n1.5,0.2\n-0.5,0.8\n", "row 2, .*'1.5' is no chance"),
        (TABLE, "in,out\n0.5,0.2\nten,0.8\n", "row 3, .*'ten' is not a number"),
    ],
)
def test_a_file_without_settings_norms_or_chances_is_refused(drawn, text, told):
    figure, control = drawn
    refused(told, figure, **{control: UploadedFile("mine.csv", text)})
