"""The figures of the MIP part: what they draw and say is what the package computes."""

import numpy as np
import pytest
from scipy import stats
from shared import named

from explorable.panels import Explorable
from mipbook import figures, mip


def test_the_handles_of_posterior_bars_are_the_tops_of_its_bars():
    panel = Explorable(figures.mip.posterior_bars)
    for grab in panel.figure().layout.meta["grab"]:
        stops = panel.controls[grab["control"]].stops
        for stop in (stops[0], stops[7], stops[-1]):
            figure = panel.figure(**{grab["control"]: stop})
            bar = named(figure, "in, and" if grab["control"].startswith("in") else "out, and")
            place = 1 if grab["control"] == "in_b" else 0
            assert grab["track"]["y"][stops.index(stop)] == pytest.approx(bar.y[place], abs=1e-4)


def test_radius_meter_tells_which_length_keeps_the_promise():
    figure = figures.mip.radius_meter(4, 2)
    far = 0.5 + mip.delivered_eta(10**6, 2.0, 0.1).value
    assert named(figure, "the spy, your noise").y[-1] == pytest.approx(100 * far, rel=1e-9)
    assert far > 0.6
    assert max(named(figure, "the spy, enough noise").y) <= 60 + 1e-9
    longer = mip.noise_scale(0.1, M=2, as_published=True) / mip.noise_scale(0.1)
    for name, shape, scale in (("enough noise", 4, 1.0), ("your noise", 1, longer)):
        cloud = named(figure, name)
        lengths = np.sort([np.hypot(x, y) for x, y in zip(cloud.x, cloud.y, strict=True) if x is not None])
        # The longest crosses are beyond the picture's edge.
        rank = (np.arange(len(cloud.x)) + 0.5)[: lengths.size] / len(cloud.x)
        assert lengths.size >= 0.9 * len(cloud.x)
        np.testing.assert_allclose(lengths, stats.gamma(shape, scale=scale).ppf(rank), rtol=2e-3, atol=2e-3)
    line = figures.mip.radius_meter(1)
    assert not any(named(line, name).y[3] for name in ("enough noise", "your noise"))


# --- The figures of noise: what they draw is what the package computes ----------------------------


def test_print_figure_draws_the_papers_lines():
    lines = figures.mip.noise_vs_eta_print((36, 48)).axes[0].lines
    assert [line.get_label() for line in lines] == [
        "MIP, any n (bound)",
        "DP, n = 36 (exact)",
        "DP, n = 48 (exact)",
    ]
    eta, noise = lines[2].get_data()
    np.testing.assert_allclose(noise, mip.laplace_dp_scale(eta, mip.reciprocal_sensitivity(48)))
