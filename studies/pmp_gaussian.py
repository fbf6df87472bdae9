"""The simulations behind Figures 4 to 6 of the PMP paper, and around them."""

from functools import partial

import numpy as np

from mipbook import pmp
from mipbook.stored.pmp_gaussian import FEW, FIGURE_4, FIGURE_5, FIGURE_6, POOLS, SEED, GaussianFigure
from mipbook.stored.store import Arrays
from studies.run import Run

# Bits of a stored single that are kept: four digits, and it packs to half.
_KEPT = np.uint32(0xFFFFFE00)


def drawn(figure: GaussianFigure) -> Arrays:
    """Run all trials of a figure, with a progress bar."""
    axis = figure.stops[figure.along]
    own = [{**figure.own, figure.along: point} for point in axis]
    trials = pmp.sweep(pmp.gaussian_readings, own, trials=POOLS, seed=SEED)
    arrays: Arrays = {"own": np.array(trials, dtype=np.float32)}
    for name, values in figure.moved.items():
        cases = [{**figure.own, figure.along: p, name: value} for value in values for p in figure.points]
        found = np.array(pmp.sweep(pmp.gaussian_readings, cases, trials=FEW, seed=SEED), dtype=np.float32)
        rounded = (found.view(np.uint32) + np.uint32(0x100)) & _KEPT
        arrays[name] = rounded.view(np.float32).reshape(len(values), len(figure.points), FEW, -1)
    return arrays


RUNS = tuple(
    Run(figure.name, figure.settings, partial(drawn, figure)) for figure in (FIGURE_4, FIGURE_5, FIGURE_6)
)
