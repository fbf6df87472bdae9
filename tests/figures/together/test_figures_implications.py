"""The map of arrows and its witnesses: what they draw and say is what the rooms compute."""

import re
from itertools import combinations, product

import numpy as np
import pytest
from shared import named, sentence

from explorable.panels import Explorable
from mipbook import accounting, figures, mip, mis

ARROWS = [arrow for arrow in product(accounting.NOTIONS, repeat=2) if arrow[0] != arrow[1]]


@pytest.mark.parametrize(("start", "end"), ARROWS)
def test_the_map_says_what_each_arrow_gives(start, end):
    figure = figures.together.implication_map(start, end, 80)
    here = named(figure, "at your value")
    assert here.y[0] == pytest.approx(100 * accounting.arrow(start, end).accuracy(0.8))
    said = sentence(figure)
    assert f"Right at most 80% of the time in {start}'s game" in said
    impossible = end == "DP" or start == "MIS"
    assert impossible == (here.y[0] == 100) == (" no " in figure.layout.meta["headline"])
    witnesses = [t for t in figure.data if re.search(r"the two groups|a sum modulo", t.name)]
    assert len(witnesses) == impossible


def test_the_map_converts_parameters_as_the_rooms_do():
    right = 65
    given = float(np.log(right / (100 - right)))
    told = {
        ("DP", "MIP"): f"η = {mip.eta_from_dp(given):.3g}",
        ("DP", "MIS"): f"Δ ≤ {mis.delta_from_dp(given):.3g}",
        ("PMP", "MIS"): f"Δ ≤ {accounting.delta_from_pmp(given):.3g}",
        ("MIP", "MIS"): f"Δ ≤ {accounting.delta_from_mip(0.15):.3g}",
    }
    for arrow, words in told.items():
        assert words in sentence(figures.together.implication_map(*arrow, right))


def test_each_handle_stands_on_the_line_between_its_notions():
    panel = Explorable(figures.together.implication_map)
    places = {"DP": (0, 1), "PMP": (1, 1), "MIP": (1, 0), "MIS": (0, 0)}
    for start, end in ARROWS:
        grabs = panel.figure(start=start, end=end).layout.meta["grab"]
        for grab, notion, other in ((grabs[0], start, end), (grabs[1], end, start)):
            at = accounting.NOTIONS.index(notion)
            here = np.array([grab["track"]["x"][at], grab["track"]["y"][at]])
            near, far = (np.linalg.norm(here - places[each]) for each in (notion, other))
            assert near == pytest.approx(0.3, abs=1e-3)
            apart = np.linalg.norm(np.subtract(places[notion], places[other]))
            assert near + far == pytest.approx(apart, abs=1e-3)


def test_secure_sum_draws_the_chance_behind_each_sum():
    q, n = 13, 3
    figure = figures.together.secure_sum(q, n)
    labels = [2**i % q for i in range(2 * n)]
    drawn: dict[int, list[bool]] = {}
    for half in combinations(range(2 * n), n):
        drawn.setdefault(sum(labels[i] for i in half) % q, []).append(0 in half)
    dots = named(figure, "each sum")
    assert list(dots.customdata) == sorted(drawn)
    np.testing.assert_allclose(dots.y, [np.mean(drawn[s]) for s in sorted(drawn)])
    told = float(re.search(r"η = ([\d.]+) \(exact\)", sentence(figure))[1])
    assert told == pytest.approx(accounting.power_sums(n, q).eta, abs=5e-4)
