"""The two distributions of a noisy sum, the hockey-stick between them, and what a formula promises."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import pmp
from mipbook.figures.pmp.readers import staff
from mipbook.stored import pmp as stored

# What is released, around what the others add up to; the noise and the salaries have the spread 1.
_AT, _PLACE = np.linspace(-6, 9, 121), 2.0
# How high a bell is drawn, as a share of the solid one, and how far it is raised.
_TOP, _RAISED = 1.7, k.Slider(0.0, 6.0, 1.0, step=0.1, label="Raised by e to the power ε", play=True)
_SMOOTH = {"shape": "spline", "smoothing": 0.8}


@k.cache
def _laws(n):
    """Return the density of the release with Zoe and without her at ``_AT``, the first of height 1."""
    values = staff(n, _PLACE)
    laws = pmp.gaussian_densities(values, 1.0, 0, n * values[1:].mean() + _AT)
    return [law / laws[0].max() for law in laws]


@k.cache
def _begins(n):
    """Return from where on the solid bell sticks out, for each height of the other, in the picture."""
    inside, outside = _laws(n)
    return np.interp(_RAISED.stops, np.log(inside / outside), _AT).round(3)


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
        x=k.axis("what is released", range=[-6, 9], **k.BARE),
        y={"visible": False, "range": [-0.3, _TOP]},
        height=400,
        ghost=[],
        grab=k.drag("epsilon", _begins(n), np.zeros(len(_RAISED.stops))),
        sentence="The dotted bell is {factor} times the dashed one, e to the power {epsilon}. What of the "
        "solid one sticks out above it is δ = {delta} (exact).",
        alt="Two bells, what is released without Zoe (dashed) and with her (solid), {n} of {pool} drawn. The "
        "first once more, raised {factor} times; {delta} of the second sticks out on the right.",
        **k.words(n=n, pool=2 * n),
    )


def _area(n, epsilon):
    """Return the dashed bell raised, and what of the solid one sticks out above it."""
    inside, outside = _laws(n)
    raised = np.minimum(math.exp(epsilon) * outside, 2 * _TOP)
    sticks = _smooth("sticks out", np.minimum(raised, inside), k.PMP, fill="tonexty")
    delta = float(pmp.gaussian_delta_exact(staff(n, _PLACE), 1.0, epsilon, record=0))
    return k.part(
        # From the solid bell, which is drawn once more, down to what is covered.
        _smooth("with Zoe, above", inside, k.IN, showlegend=False),
        sticks | {"line": {"width": 0, **_SMOOTH}},
        _smooth("without Zoe, raised", raised, replace(k.LEVEL, dash="dot", width=2.5)),
        headline="{short} in 100 stick out",
        short=k.exact(100 * delta, digits=2),
        delta=k.exact(delta, digits=2),
        factor=k.exact(math.exp(epsilon), digits=2),
        epsilon=epsilon,
    )


@k.figure
def hockey_stick(
    epsilon: Annotated[float, _RAISED] = 1.0,
    n: Annotated[int, k.Choice([1, 3, 10], label="People drawn, n")] = 1,
):
    """Draw the release with Zoe and without her, and what sticks out above the raised bell.

    The other 2n - 1 salaries are normal, of spread 1; the release is the sum with noise 1.

    References
    ----------
    PMP paper, Lemma 11, for a sum in one dimension.

    Examples
    --------
    >>> hockey_stick(0.0).layout.meta["headline"]
    '68 in 100 stick out'
    """
    return _frame, _area


@k.figure
def gaussian_scaling(
    epsilon: Annotated[float, k.Choice(stored.EPSILONS, label="The colleague's ε, by the noise")] = 10.0,
):
    """Draw the bound and the exact PMP parameter against n, at the same eps(X).

    References
    ----------
    PMP paper, Proposition 12, for the mean of normal data in one dimension; delta = 0.01.

    Examples
    --------
    >>> [t.name for t in gaussian_scaling(1.0).data][1:3]
    ['stranger, by the formula (bound)', 'stranger, in truth (exact)']
    """
    sizes = list(stored.SCALING_SIZES)
    bound, exact = stored.scaling(epsilon).T
    many, at = sizes.index(100), sizes.index(25)
    names, said = ["stranger, by the formula (bound)", "stranger, in truth (exact)"], "%{y:.3g} at n = %{x}"
    known = np.full(len(sizes), epsilon)
    by_line = ["the colleague", "as promised (bound)"]
    # Where the dashed line has more room, above or below.
    above = epsilon / bound[4] > bound[-1] / exact[5]
    high = [1.04 * epsilon, 1.06 * bound[4] if above else 0.82 * bound[-1]]
    sides = ["top left", f"{'top' if above else 'bottom'} left"]
    return k.part(
        k.curve("colleague (exact)", sizes, known, k.DP, hover=f"the colleague faces {said}"),
        k.curve(names[0], sizes, bound, k.PMP.bound(), marked=True, hover=f"the formula promises {said}"),
        k.curve(names[1], sizes, exact, k.PMP, marked=True, hover=f"the truth is {said}"),
        k.text("the upper names", [250, 80], high, by_line, textposition=sides),
        k.text(
            "name of the truth", [19], [exact[at]], ["the stranger, in truth"], textposition="bottom left"
        ),
        x=k.axis("people drawn, n", log=True, exponentformat="none", range=[-0.05, 2.4]),
        y=k.axis("ε at δ = 0.01", log=True, exponentformat="none", range=[-1, 1.1]),
        height=420,
        showlegend=False,
        probe=names,
        headline="The formula says {bound}, the truth is {truth}",
        sentence="With a hundred drawn the formula promises {bound} at most (bound); the truth, {truth} "
        "(exact), is {loose} times less. With one drawn all are {epsilon} (exact).",
        alt="Three curves against n from 1 to 200 on log scales, all starting at {epsilon}. The colleague, "
        "who knows all others, stays there; the bound ends at {bound_end}; the exact value falls to {end}.",
        **k.words(epsilon=epsilon, bound=k.at_most(bound[many], digits=2)),
        **k.words(truth=k.exact(exact[many], digits=2), loose=k.exact(bound[many] / exact[many], digits=2)),
        **k.words(bound_end=k.at_most(bound[-1]), end=exact[-1]),
    )
