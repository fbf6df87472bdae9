"""Plan a training run: gradient norms of the reader's own, records, batch, passes and noise."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable import validate
from explorable.tables import Role, read_columns
from mipbook.dpsgd.clipping import best_sample_clip, sample_clip_error
from mipbook.dpsgd.run import schedule
from mipbook.stored.trained import BATCHES, BUDGETS, LAB_NOISES, PASSES, RECORDS, needed, plan

EXAMPLE_NORMS = ("a heavy tail", "nearly equal", "two lengths")
NORM_ROLES = (
    Role(
        "norm",
        "Gradient norms",
        "is the norm",
        "holds the norms",
        known=("norm", "norms", "gradient_norm", "grad_norm"),
    ),
)
_SHARES = np.geomspace(0.01, 1.2, 41)
_ERROR = "in all (exact)"
_plan, _needed = k.cache(plan), k.cache(needed)


@k.few
def _read(norms):
    """Return the norms, and what was read of an own file."""
    if isinstance(norms, k.UploadedFile):
        found = read_columns(norms.text, NORM_ROLES, norms.columns)
        found.check_records(2, 100_000)
        values = found.numbers("norm")[:, 0]
        if values.min() < 0 or values.max() <= 0:
            validate.refuse("norms", norms.name, "a file with a column of norms, none negative")
        return values, found.say()
    rng = np.random.default_rng(29)
    made = (rng.pareto(2.5, 2000) + 1.0, rng.gamma(50.0, 0.02, 2000), np.repeat([1.0, 10.0], [1800, 200]))
    return made[EXAMPLE_NORMS.index(validate.choice("norms", norms, EXAMPLE_NORMS))], ""


def _axes():
    shares = {"tickvals": [0.01, 0.1, 1], "ticktext": ["1%", "10%", "100%"]}
    noises = {"tickvals": [0.5, 1, 2, 5, 10, 20], "ticktext": ["0.5", "1", "2", "5", "10", "20"]}
    return k.part(
        x=k.axis("clip, over the longest norm", log=True, range=[-2.02, 0.1], **shares),
        y=k.axis("a step is off by", log=True, range=[-3.0, 0.3]) | shares,
        x2=k.axis("noise σ, in clips", log=True, range=[-0.6, 1.4], showgrid=False, **noises),
        y2={"visible": False, "range": [-0.7, 1.9]},
        rows=(0.76, 0.24),
        height=460,
        ghost=[_ERROR],
        probe=[_ERROR],
        headline="ε ≤ {high}; clip at {best}",
        sentence="{steps} steps with noise of {sigma} clips cost ε between {low} and {high} at δ = 10⁻⁵. "
        "For ε = {budget} noise of {needs} is enough (bounds). The best clip cuts {cut} of your {many} norms "
        "(exact for gradients that point one way).",
        alt="Above, the error of a step over the clip, least at the best clip, {best}. Below, the noises: "
        "from {needs} on they keep your budget of {budget}; your own lies at {sigma}.",
    )


def _left(norms, n, batch, sigma):
    """Return the error over the clip for the reader's norms, and the best clip."""
    values, read = _read(norms)
    sampling, longest, mean = schedule(n, batch, 1)[0], float(values.max()), float(values.mean())
    best = best_sample_clip(n, sigma, values, sampling)
    *found, least = (
        sample_clip_error(clip, n, sigma, values, sampling) for clip in (*(_SHARES * longest), best)
    )
    bias = [max(float(f"{abs(f.bias) / mean:.4g}"), 1e-9) for f in found]
    rmse = [float(f"{f.rmse / mean:.4g}") for f in found]
    noise, star = [f.noise / mean for f in (found[0], found[-1])], k.READING.with_symbol("star")
    said = "at %{x:.3g} of the longest: off by %{y:.3g}"
    return k.part(
        k.curve("by what is cut off (exact)", _SHARES, bias, k.OUT, hoverinfo="skip"),
        k.curve("by noise (exact)", _SHARES[[0, -1]], noise, k.SERIES[2], hoverinfo="skip"),
        k.curve(_ERROR, _SHARES, rmse, k.BEST, hover=said),
        k.points("the best clip (exact)", best / longest, least.rmse / mean, star, size=15),
        read=read,
        best=best,
        cut=k.exact(float((values > best).mean()), k.percent),
        many=values.size,
    )


def _budget(n, batch, passes, epsilon):
    """Draw the noises that keep the budget."""
    noise = _needed(n, batch, passes, epsilon)
    keeps = k.curve(
        "noise that keeps your budget (bound)",
        [noise, max(noise, 25.0)],
        [0, 0],
        k.Look(k.DP.colour, width=14),
    )
    return k.part(keeps | k.LOWER, budget=epsilon, needs=k.at_most(noise, digits=4))


def _own(n, batch, passes, sigma):
    """Mark the reader's noise, and say what it costs."""
    low, high = _plan(n, batch, passes, sigma)
    own = {"text": [f"<b>ε ≤ {k.at_most(high)}</b>"], "textposition": "top center", "mode": "markers+text"}
    return k.part(
        k.reading(sigma, 0, "your noise", showlegend=True, lower=True, **own),
        low=k.at_least(low),
        high=k.at_most(high),
        steps=schedule(n, batch, passes)[1],
        sigma=sigma,
    )


@k.figure
def clip_lab(
    norms: Annotated[
        str | k.UploadedFile, k.File(EXAMPLE_NORMS, roles=NORM_ROLES, label="Norms")
    ] = EXAMPLE_NORMS[0],
    n: Annotated[int, k.Count(list(RECORDS), 60_000, label="Records, n").safe("down")] = 60_000,
    batch: Annotated[int, k.Count(list(BATCHES), 500, label="Batch").safe("up")] = 500,
    passes: Annotated[int, k.Count(list(PASSES), 10, label="Passes").safe("up")] = 10,
    sigma: Annotated[float, k.Stops(list(LAB_NOISES), 1.1, label="Noise, σ").safe("down")] = 1.1,
    epsilon: Annotated[float, k.Stops(list(BUDGETS), 3.0, label="Wanted, ε").safe("down")] = 3.0,
):
    """Plan a training run: where to clip, what it costs, and the noise that a budget needs.

    Notes
    -----
    `mipbook.dpsgd.certified_epsilon`, stored at the stops of the page, and
    `mipbook.dpsgd.best_sample_clip`.

    Examples
    --------
    >>> clip_lab("two lengths").layout.meta["headline"]
    'ε ≤ 1.37; clip at 9.8'
    """
    return _axes, _left, _budget, _own
