"""The checks of all figures can fail, and which of its sentences a figure says where."""

import math
from typing import Annotated

import every_figure
import numpy as np
import panel_habits
import plotly.graph_objects as go
import pytest

from explorable import palette
from explorable.panels import Explorable, Slider, declared
from mipbook import figures
from mipbook.figures import kit

WORDS = {
    "sentence": "At this slope the line rises by exactly one unit a step (exact).",
    "alt": "A line that rises from the lower left to the upper right, one unit a step.",
    "headline": "1 unit a step",
}
SECOND = {"name": "second", "y": [1.0], "line": {"color": palette.GREEN, "dash": "dot"}}
ALIKE = {**SECOND, "line": {"color": palette.GREEN}}
SIZE, THREE = {"size": Slider(0.0, 1.0)}, {"size": Slider(0.0, 1.0, points=3)}
MANY = {name: Slider(0.0, 1.0, points=9) for name in "abcdef"}


def faults(controls=SIZE, second=None, above=0.0, slope=1.0, high=2.0, moves=0.0, **meta):
    """Return what all checks say of a figure that is right but for what is given."""

    @declared
    def draw(size: Annotated[float, controls.get("size")] = 1.0, **more) -> go.Figure:
        line = {"name": "line", "x": [0, 1], "y": [0.0, slope * size], "line": {"color": palette.BLUE}}
        drawn = [{"type": "scatter", "mode": "lines", **each} for each in (line, second) if each]
        axes = {"xaxis": {"range": [0, 1]}, "yaxis": {"range": [0, high + moves * size]} if high else {}}
        traces = drawn if size >= above else drawn[:1]
        return go.Figure(data=traces, layout={**axes, "meta": WORDS | meta}, _validate=False)

    panel, subject = Explorable(draw, **controls), every_figure.Subject(draw)
    states = subject.states(panel)
    found = [line for _, figure in states for line in every_figure.wrong(figure)]
    found += [line for check in every_figure.CHECKS for line in check(subject, states)]
    return found + [line for check in panel_habits.CHECKS for line in check(panel, states)]


def track(*heights):
    return [{"control": "size", "axis": "y", "track": {"x": [1, 1, 1], "y": heights}}]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sentence": "Short."}, "sentence: too short"),
        ({"sentence": "At this slope the line rises by one unit a step."}, "no number is tagged"),
        ({"sentence": "At this slope the line rises by nan units a step (exact)."}, "a hole"),
        ({"sentence": "eps~(X) = 3"}, "'eps' in"),
        ({"headline": "{n} units a step"}, "headline: a hole"),
        ({"headline": "eps is 3"}, "'eps' in"),
        *(({"headline": text}, "number and 2 to 8") for text in ("found", "1 2 3 4 5 6 7 8 9")),
        ({"second": {**SECOND, "name": "line"}}, "traces need names"),
        ({"second": {**SECOND, "y": np.array([0.0, math.nan])}}, "is not finite"),
        ({"second": {"name": "second", "type": "cone"}}, "draws no cone"),
        ({"second": {**SECOND, "lines": 3}}, "plotly does not take it"),
        ({"second": {**SECOND, "line": {"color": "#123456", "dash": "dot"}}}, "has no dark twin"),
        ({"second": {**SECOND, "line": {"color": "red", "dash": "dot"}}}, "has no dark twin"),
        ({"second": ALIKE}, "by its colour only"),
        ({"second": {**ALIKE, "xaxis": "x2", "yaxis": "y2"}}, "by its colour only"),
        ({"second": SECOND, "above": 0.5}, "draws ['line', 'second']"),
        ({"slope": 0.0}, "size changes nothing"),
        ({"grab": track(0.0, 0.5, 0.9), "controls": THREE}, "where nothing is drawn"),
        ({"grab": track(0.0, 0.5, 1.0)}, "a point for each"),
        ({"grab": [{"control": "other", "axis": "x"}]}, "no control 'other'"),
        ({"grab": [{"control": "size", "axis": "z"}]}, "no axis"),
        ({"probe": ["line"]}, "no sentence"),
        ({"ghost": ["gone"]}, "no trace 'gone'"),
        ({"high": None}, "no range"),
        ({"moves": 1.0}, "yaxis is"),
        ({"moving_axes": "yes"}, "no reason"),
        ({"controls": MANY}, "6 controls"),
        ({"controls": MANY}, "f has 9 stops"),
    ],
)
def test_a_wrong_figure_and_a_panel_that_cannot_be_held_are_found(given, said):
    assert any(said in line for line in faults(**given))
    assert not faults()


def test_a_number_without_a_name_is_found():
    @kit.figure
    def typed(slope: Annotated[float, Slider(0.0, 3.0, points=4)] = 1.0):
        """Draw nothing, and write three numbers."""
        clause = kit.told(f"{slope:g} up and {{slope}} on", slope=slope)
        return kit.part(sentence=f"The line rises by {slope:.1f} of 9.", clause=clause, word=f"{slope}%")

    subject = every_figure.Subject(typed)
    assert len(list(every_figure.typed_numbers(subject, subject.states()))) == 9


QUOTED = {"held": "epsilon", "sensitivity": "C/n", "average": "mean"}
SAID = [
    ("game.attack_backwards", {"tpr": 0.01, "fpr": 0.5}, "is a better attack"),
    # What a lecture and a paper tell; every other number is told again in `again_*.py`.
    ("game.attack_backwards", {"tpr": 0.9, "fpr": 0.01, "games": 100}, "ε\u00a0≥\u00a02.71 proved"),
    ("game.attack_scores", {"larger_means": "not a member"}, "point the other way"),
    ("game.for_one", {"epsilon": 4.4, "sigma": 1.0}, "the promise is kept"),
    ("game.for_one", {"epsilon": 4.2, "sigma": 1.0}, "the promise is broken"),
    ("game.score_audit", {"larger_means": "not a member"}, "low scores mean member"),
    ("game.roc_plane", {}, "The promise is broken"),
    ("game.roc_plane", {"epsilon": 4.4}, "The promise is kept"),
    ("game.roc_plane", {"epsilon": 8.0, "delta": 0.0, "sigma": 0.3}, "At δ = 0 no ε fits"),
    ("mip.fatal_subset", {"times": 1000}, "promise of 60 is kept"),
    ("mip.fatal_subset", {"times": 5000}, "promise of 60 is broken"),
    ("mip.last_digits", {"decimals": 15}, "No breach is seen"),
    ("mip.last_digits", {"decimals": 16}, "is broken"),
    ("mip.last_digits", {"decimals": 19, "arithmetic": "public grid"}, "No breach is seen"),
    ("mis.diversity_band", {"K": 5, "place": 0.0}, "only one distribution"),
    ("mis.diversity_band", {"K": 2, "place": 0.5}, "only one distribution"),
    ("mis.diversity_band", {"K": 5, "place": 1.0}, "single value"),
    ("mis.diversity_band", {"K": 17, "place": 0.2}, "factor of"),
    ("mis.security_roc", {"learner": "nothing"}, "Nothing is released"),
    ("mis.security_roc", {"nu": 0.9, "lam": 0.5, "learner": "the top kind"}, "always saying fresh"),
    ("mis.security_roc", {"nu": 0.3, "lam": 0.3}, "a weighted score of"),
    ("mis.security_roc", {"nu": 0.2, "lam": 0.5}, "always saying member"),
    ("mis.three_slopes", {"alpha": 1.25, "p": 0.9, "nu": 0.45}, "no power of n"),
    ("mis.three_slopes", {"alpha": 2.0}, "logarithm"),
    ("mis.three_slopes", {"p": 0.5}, "less than"),
    ("pmp.modular_sum_bars", {"n": 6}, "ln(38/37) = 0.0267 (exact)"),
    ("pmp.modular_sum_bars", {"n": 7}, "gives the same"),
    ("pmp.pmp_figure_4", {"vary": "delta", "to": 3}, "held fixed and δ = "),
    ("pmp.pmp_square", {"told": 0.2, "delta": 0.1, "example": "print two groups"}, "(ε, 1)-DP"),
    ("pmp.not_monotone", {"pool": "six numbers", "epsilon": 10.0}, "a larger ε can be safer"),
    ("pmp.not_monotone", {"pool": "twelve numbers", "epsilon": 10.0}, "rises up to"),
    ("pmp.pmp_figure_4", {"held": "subset"}, "two rising ratios: neither comes out."),
    ("pmp.pmp_figure_4", {"held": "epsilon"}, "both come out with ε = 10 in its place, where ε(X) is 0.4"),
    ("pmp.pmp_figure_4", QUOTED, "both come out"),
    ("pmp.pmp_figure_5", QUOTED, "ε̃ = 1, comes out"),
    ("pmp.pmp_figure_5", {}, "does not come out"),
    ("pmp.pmp_figure_5", {}, "ε̃/ε falls all the way"),
]


@pytest.mark.parametrize(("name", "values", "words"), SAID)
def test_a_state_says_its_words(name, values, words):
    part, figure = name.split(".")
    meta = getattr(getattr(figures, part), figure)(**values).layout.meta
    assert words in f"{meta['headline']}\n{meta['sentence']}"
