"""The figures of clip and noise draw what the package computes."""

import numpy as np
import pytest
from shared import named

from mipbook import figures
from mipbook.figures.words import in_100
from mipbook.tradeoff import gaussian_advantage


@pytest.mark.parametrize("clip", [0.5, 2.0, 5.0])
def test_clouds_stand_as_far_apart_as_one_clip(clip):
    figure = figures.together.clipped_pulls(clip, 2.0)
    ends = [named(figure, name) for name in ("published, with Zoe", "without her")]
    middles = [np.array([np.mean(end.x), np.mean(end.y)]) for end in ends]
    wide = 2.0 * clip / 10
    assert [np.std(end.x) for end in ends] == pytest.approx([wide, wide], rel=0.35)
    # Sixty points each: their middles stray by an eighth of the width.
    assert np.hypot(*(middles[0] - middles[1])) == pytest.approx(clip / 10, abs=4 * wide / 60**0.5)
    longest = named(figure, "Zoe's pull")
    assert np.hypot(longest.x[1], longest.y[1]) == pytest.approx(clip)
    meta = figure.layout.meta
    assert meta["headline"].startswith(f"right {in_100(0.5 + gaussian_advantage(2.0) / 2)}, off by ")
