"""Pictures of the Gaussian mechanism: what they draw is what the numerics say."""

import math

import numpy as np
import pytest
from scipy import stats
from shared import named, sentence

from explorable.panels.signature import declared_controls
from mipbook import figures
from mipbook.stored.pmp import ladder
from mipbook.stored.pmp_gaussian import FIGURE_4, FIGURE_5, FIGURE_6


def moved(figure, name, value, **more):
    """Draw a figure with one parameter moved."""
    stops = declared_controls(figure)["to"].given["values"][name]
    return figure(vary=name, to=stops.index(value), **more)


PAPER = [
    (figures.pmp.pmp_figure_4, FIGURE_4),
    (figures.pmp.pmp_figure_5, FIGURE_5),
    (figures.pmp.pmp_figure_6, FIGURE_6),
]


@pytest.mark.parametrize(
    ("held", "sensitivity"), [("epsilon", "2C/n"), ("epsilon", "C/n"), ("subset", "C/n")]
)
@pytest.mark.parametrize(("draw", "stored"), PAPER)
def test_the_stored_ratios_are_drawn_with_their_bands(draw, stored, held, sensitivity):
    """These are repeated, and deliver delta, in `tests/stored/test_stored_pmp.py`."""
    more = {"held": held, "sensitivity": sensitivity}
    for name in (None, *stored.moved):
        other = {name: stored.moved[name][2]} if name else {}
        shown = moved(draw, name, other[name], **more) if name else draw(**more)
        found = stored.read(held, sensitivity, **other)
        for label, over in (("ε̃ / ε(X)", np.maximum(found.subset, 1e-300)), ("ε̃ / ε", found.epsilon)):
            ratios = found.pmp / over
            mean, count = ratios.mean(axis=1), ratios.shape[1]
            half = stats.t.ppf(0.975, count - 1) * ratios.std(axis=1, ddof=1) / math.sqrt(count)
            # Three digits are drawn.
            curve, band = named(shown, f"{label} ("), named(shown, f"95% band of {label}")
            np.testing.assert_allclose(curve.y, mean, rtol=6e-3, atol=2e-12)
            np.testing.assert_allclose(band.y[: len(mean)], mean + half, rtol=6e-3, atol=2e-12)


def test_hockey_stick_area_is_the_delta_it_says():
    for place, n, noise, epsilon in ((2.0, 1, 1.0, 0.5), (3.0, 6, 1.0, 1.0), (2.0, 25, 0.5, 0.0)):
        figure = figures.pmp.hockey_stick(place, n, noise, epsilon)
        inside, out = (np.asarray(named(figure, f"record {w}").y) for w in ("in", "out"))
        x = np.asarray(named(figure, "record in").x)
        for curve in (inside, out):
            assert np.trapezoid(curve, x) == pytest.approx(1.0, abs=0.01)
        area = np.trapezoid(np.maximum(inside - math.exp(epsilon) * out, 0), x)
        said = float(sentence(figure).split("δ = ")[1].split(" ")[0])
        assert area == pytest.approx(said, abs=0.01)
        assert abs(area - 1.2 * said) > abs(area - said)
        # What is filled lies between the law with the record and what sticks out of the other.
        low = np.asarray(named(figure, "area = δ").y)
        np.testing.assert_allclose(low, np.minimum(inside, math.exp(epsilon) * out), atol=2e-3)
        assert named(figure, "area = δ").fill == "tonexty"
        names = [trace.name for trace in figure.data]
        assert names[names.index("area = δ") - 1] == "record in"


def test_hockey_stick_ladder_is_ordered():
    for n in (1, 6, 25, 100):
        for noise in (0.5, 1.0):
            found = ladder(n, noise, 3.0)
            assert found.inside >= found.bound * (1 - 1e-9)
            assert found.bound >= found.low - 1e-9
            assert found.high + 1e-9 >= found.exact
            # The normal curve is poor where few records are drawn and the noise is small.
            if n != 6:
                assert found.normal == pytest.approx(found.exact, rel=0.1)
            if n == 1:
                assert found.exact == pytest.approx(found.inside, rel=1e-9)
            if n == 100:
                assert found.exact < 0.1 * found.bound
            marks = figures.pmp.hockey_stick(3.0, n, noise).data[-1]
            assert marks.x[2] == pytest.approx(np.clip(found.exact, 0.01, 1e4))
