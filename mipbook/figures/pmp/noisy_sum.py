"""The two distributions of a noisy sum, and the hockey-stick between them."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import pmp
from mipbook.figures.pmp.readers import staff

# What is released, around what the others add up to; the noise and the salaries have the spread 1.
_AT, _PLACE = np.linspace(-6, 9, 121), 2.0
# How high a bell is drawn, as a share of the solid one, and how far it is raised.
_TOP, _TIMES = 1.2, [1, 1.2, 1.4, 1.7, 2, 2.3, 2.6, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40, 45, 50]
_TIMES += [60, 80, 100, 130, 160, 200, 300, 400]
_SMOOTH = {"shape": "spline", "smoothing": 0.8}


@k.cache
def _laws(n):
    """Return the density of the release with Zoe and without her at ``_AT``, the first of height 1."""
    values = staff(n, _PLACE)
    laws = pmp.gaussian_densities(values, 1.0, 0, n * values[1:].mean() + _AT)
    return [law / laws[0].max() for law in laws]


def _smooth(name, y, look, **more):
    # What is drawn has the eleven bits of a half float, for the page's weight.
    drawn = np.asarray(y, dtype=np.float16).astype(float)
    trace = k.curve(name, _AT, drawn, look, hoverinfo="skip", **more)
    return trace | {"line": trace["line"] | _SMOOTH}


def _frame(n):
    inside, outside = _laws(n)
    return k.part(
        _smooth("without Zoe", outside, k.OUT),
        _smooth("with Zoe", inside, k.IN),
        k.cast([0.0, _PLACE], [0.0] * 2, ("Ben", "Zoe"), size=19, name="Ben and Zoe"),
        k.points("so far it may be raised", _TIMES, np.zeros(len(_TIMES)), k.LEVEL, size=5, hoverinfo="skip",
                 lower=True),
        x={"visible": False, "range": [-6, 9]},
        y={"visible": False, "range": [-0.1, _TOP]},
        x2=k.axis("Ben's bell is raised, times", log=True, exponentformat="none", showgrid=False,
                  range=[-0.1, 2.7]),
        y2={"visible": False, "range": [-1, 1]},
        rows=(0.9, 0.1),
        height=430,
        showlegend=False,
        ghost=[],
        grab=k.drag("times", along="x2", at=0),
        sentence="Ben's dashed bell is raised {times} times, to the dotted line: ε is {epsilon}. The part of "
        "Zoe's bell above that line is δ, {delta} (exact).",
        alt="Two bells, what is released without Zoe (dashed) and with her (solid), {n} of {pool} drawn. The "
        "first once more, raised {times} times; {delta} of the second sticks out on the right.",
        **k.words(n=n, pool=2 * n),
    )  # fmt: skip


def _area(n, times):
    """Return the dashed bell raised, and what of the solid one sticks out above it."""
    inside, outside = _laws(n)
    raised = np.minimum(times * outside, 3 * _TOP)
    sticks = _smooth("sticks out", np.minimum(raised, inside), k.PMP, fill="tonexty")
    delta = float(pmp.gaussian_delta_exact(staff(n, _PLACE), 1.0, math.log(times), record=0))
    return k.part(
        # From the solid bell, which is drawn once more, down to what is covered.
        _smooth("with Zoe, above", inside, k.IN, showlegend=False),
        sticks | {"line": {"width": 0, **_SMOOTH}},
        _smooth("without Zoe, raised", raised, replace(k.LEVEL, dash="dot", width=2.5)),
        headline="{short} in 100 stick out",
        short=k.exact(100 * delta, digits=2),
        delta=k.exact(delta, digits=2),
        epsilon=k.exact(math.log(times), digits=2),
        times=times,
    )


@k.figure
def hockey_stick(
    times: Annotated[float, k.Stops(_TIMES, label="Ben's bell raised, times", play=True)] = 45,
    n: Annotated[int, k.Choice([1, 3, 10], label="People drawn, n")] = 1,
):
    """Draw the release with Zoe and without her, and what sticks out above the raised bell.

    The other 2n - 1 salaries are normal, of spread 1; the release is the sum with noise 1.

    References
    ----------
    PMP paper, Lemma 11, for a sum in one dimension.

    Examples
    --------
    >>> hockey_stick(1).layout.meta["headline"]
    '68 in 100 stick out'
    """
    return _frame, _area
