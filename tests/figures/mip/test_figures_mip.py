"""The figures of the MIP part: what they draw and say is what the package computes."""

import numpy as np
import pytest
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


# --- The figures of noise: what they draw is what the package computes ----------------------------


def test_print_figure_draws_the_papers_lines():
    lines = figures.mip.noise_vs_eta_print().axes[0].lines
    names = [f"DP, n = {n} (exact)" for n in (36, 40, 44, 48)]
    assert [line.get_label() for line in lines] == ["MIP, any n (bound)", *names]
    eta, noise = lines[4].get_data()
    np.testing.assert_allclose(noise, mip.laplace_dp_scale(eta, mip.reciprocal_sensitivity(48)))
