"""Pictures of the Gaussian mechanism: what they draw is what the numerics say."""

import math

import numpy as np
import pytest
from scipy import stats
from shared import named

from explorable.panels.signature import declared_controls
from mipbook import figures
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
