"""The figures of the security chapters: they draw what the package computes."""

import importlib
import itertools

import numpy as np
import pytest
from shared import named, sentence

from explorable.panels import UploadedFile
from mipbook import figures, learners, mis
from mipbook import stored as runs
from mipbook.audit import mean_lower_bound
from mipbook.audit.examples import EXAMPLES
from mipbook.mis.discrete import worst_case_delta_from_counts


def test_the_plank_balances_and_zoe_moves_its_pivot():
    for n, place in ((2, 3.0), (10, 1.5), (100, -2.0), (1000, 1.0)):
        others = np.asarray(named(figures.mis.mean_plank(n, 1, place), "other people").x)
        # Balanced without her; of a crowd, up to the heaps that they stand in.
        assert np.mean(others) == pytest.approx(0, abs=1e-12 if n <= 40 else 0.05)
    zoes = [trace for trace in figures.mis.mean_plank(1000, 100).data if trace.name.startswith("Zoe")]
    assert [len(trace.x) for trace in zoes] == [1, 6]


def test_the_sceptic_is_convinced_where_the_certificate_is():
    for file, learner in itertools.product(EXAMPLES, ("tree", "linear")):
        figure = figures.mis.audit_bets(16, file, learner)
        filled = [named(figure, f"{who} told right").x for who in ("members", "strangers")]
        right = np.bincount(np.rint(np.concatenate(filled)).astype(int), minlength=17)[1:]
        proved = "full" in figure.layout.meta["headline"]
        assert proved == (mean_lower_bound(right / 40) > 0.5) == (learner == "tree" and file != EXAMPLES[2])
        assert (max(named(figure, "her coins").y) >= 20) == proved


def test_the_seeds_of_the_paper_run():
    """What is reached, and what is not, depends on the seed; the band and the words say so."""
    run = runs.load("overfitting_1_seeds").arrays
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
    pictures = runs.load("table1").arrays["pictures"]
    figure = figures.mis.mnist_table(30, 500)
    z, ends = np.array(figure.data[0].z)[::-1], np.array(named(figure, "to its").x[1::3])
    assert z.shape == (86, 280)
    for place, digit in enumerate((2, 4, 7, 9)):
        for half, row, middle in ((z[:28], 0, 28 * digit + 14), (z[-28:], 2, ends[digit] + 0.5)):
            left = round(middle - 14)
            kept = pictures[row, place].reshape(28, 28) / 255
            assert np.allclose(half[:, left : left + 28], kept, atol=0.04)
    shared = [len(set(named(figures.mis.mnist_table(k, 500), "to its").x[1::3])) for k in (2, 10, 300)]
    assert shared == [2, 8, 10]


@pytest.mark.parametrize("test", ["raw digits", "their centroids"])
def test_the_trade_off_has_one_point_for_each_clustering(test):
    stored = runs.table1()
    accuracy = stored.raw if test == "raw digits" else stored.centroids
    for row, n in enumerate(stored.sizes):
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
    assert named(figure, "atoms: clusters").y[-1] == 1.0
    # Two atoms, 36 and 36 or so of 72: security near that of one fair bit.
    fair = mis.worst_case_security([0.5, 0.5], 72)
    assert named(figure, "atoms: with").x[-1] == pytest.approx(fair, abs=0.02)


def test_the_lab_says_how_many_clusters_there_are():
    _, figure = own(100, 100, 500)
    assert "on 60 records in 20 clusters (100 were asked for)" in sentence(figure)
    assert list(named(figure, "atoms: clusters").text) == ["3", "10", "20", "20"]
    assert "20 clusters" in figure.layout.meta["alt"]
    rows = {row[0]: row[1:] for row in figure.layout.meta["table"]}
    assert "accuracy, 20 clusters" in rows
    assert "asked for" not in sentence(figures.mis.discretise_lab("three arms (made up)", 100, 500))
    # What is certain: 20 clusters with two labels, from their number alone.
    certain = np.floor(1e3 * (1 - np.sqrt(39 / 60) / 2)) / 1e3
    assert rows["both, at least"] == [figures.words.say(certain), "bound"]


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
    assert named(figure, "atoms: clusters").x[-1] < flattered - 0.01
