"""Plan a training run: gradient norms of the reader's own, records, batch, passes and noise."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable import validate
from explorable.panels import Count, File, Part, Stops, UploadedFile, declared, layer, stacked
from explorable.tables import Role, read_columns
from mipbook import together
from mipbook.base.rounding import down, up
from mipbook.base.types import Array
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.looks import BEST, DP, LEVEL, PUBLISHED, READING, SERIES
from mipbook.figures.marks import curve, level, points, reading
from mipbook.figures.words import percent, say
from mipbook.stored.accounting import BATCHES, BUDGETS, LAB_NOISES, PASSES, RECORDS, needed, plan, schedule

__all__ = ["EXAMPLE_NORMS", "NORM_ROLES", "clip_lab"]

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
_ERROR = "error in all (exact)"
_plan, _needed = lru_cache(maxsize=64)(plan), lru_cache(maxsize=64)(needed)


@lru_cache(maxsize=8)
def _read(norms: str | UploadedFile) -> tuple[Array, str]:
    """Return the norms, and what was read of an own file."""
    if isinstance(norms, UploadedFile):
        found = read_columns(norms.text, NORM_ROLES, norms.columns)
        found.check_records(2, 100_000)
        values = found.numbers("norm")[:, 0]
        if values.min() < 0 or values.max() <= 0:
            validate.refuse("norms", norms.name, "a file with a column of norms, none negative")
        return values, found.say()
    rng = np.random.default_rng(29)
    made = {
        EXAMPLE_NORMS[0]: rng.pareto(2.5, 2000) + 1.0,
        EXAMPLE_NORMS[1]: rng.gamma(50.0, 0.02, 2000),
        EXAMPLE_NORMS[2]: np.repeat([1.0, 10.0], [1800, 200]),
    }
    return made[validate.choice("norms", norms, EXAMPLE_NORMS)], ""


def _axes() -> Part:
    rows = two_rows(0.5, 0.2)
    layout = {
        "xaxis": axis("clip, over the longest norm", log=True, range=[-2.02, 0.1]) | rows["xaxis"],
        "yaxis": axis("error / mean", log=True, range=[-4.0, 1.0]) | rows["yaxis"],
        "xaxis2": axis("noise σ, in clips", log=True, range=[-0.6, 0.6]) | rows["xaxis2"],
        "yaxis2": axis("ε at δ = 10⁻⁵", log=True, range=[-1.5, 2.5]) | rows["yaxis2"],
        "height": 440,
    }
    return Part([], layout, meta={"beside": 0.5, "ghost": [_ERROR], "probe": [_ERROR]})


def _left(norms: str | UploadedFile, n: int, batch: int, sigma: float) -> Part:
    """Return the error over the clip for the reader's norms, and the best clip."""
    values, read = _read(norms)
    sampling, longest, mean = schedule(n, batch, 1)[0], float(values.max()), float(values.mean())
    found = [together.sample_clip_error(share * longest, n, sigma, values, sampling) for share in _SHARES]
    best = together.best_sample_clip(n, sigma, values, sampling)
    least = together.sample_clip_error(best, n, sigma, values, sampling).rmse
    noise = [found[0].noise / mean, found[-1].noise / mean]
    rmse = [float(f"{f.rmse / mean:.4g}") for f in found]
    bias = [max(float(f"{abs(f.bias) / mean:.4g}"), 1e-9) for f in found]
    cut = float((values > best).mean())
    traces = [
        curve("bias (exact)", _SHARES, bias, PUBLISHED.exact(), hoverinfo="skip"),
        curve("noise (exact)", _SHARES[[0, -1]], noise, SERIES[2], hoverinfo="skip"),
        curve(
            _ERROR,
            _SHARES,
            rmse,
            BEST,
            hovertemplate="at %{x:.3g} of the longest: off by %{y:.3g}<extra></extra>",
        ),
        points("the best clip (exact)", best / longest, least / mean, READING.with_symbol("star"), size=15),
    ]
    words = {
        "best": say(best),
        "least": percent(least / mean),
        "cut": percent(cut),
        "many": f"{values.size:,}",
    }
    return Part(traces, words=words, meta={"read": read} if read else {})


def _right(n: int, batch: int, passes: int, sigma: float) -> Part:
    low, high = _plan(n, batch, passes, sigma)
    sampling, steps = schedule(n, batch, passes)
    words = {
        "low": say(low, to=down),
        "high": say(high, to=up),
        "steps": f"{steps:,}",
        "sampling": percent(sampling),
        "sigma": say(sigma),
    }
    mark = reading(sigma, max(high, 0.04), "your plan (bound)", showlegend=True, **LOWER)
    return Part([mark], words=words)


def _budget(n: int, batch: int, passes: int, epsilon: float) -> Part:
    noise = _needed(n, batch, passes, epsilon)
    traces = [
        level("your budget", [0.26, 3.9], epsilon, LEVEL, **LOWER),
        points("the noise that keeps it (bound)", noise, epsilon, DP, size=13, **LOWER),
    ]
    return Part(traces, words={"budget": say(epsilon), "needs": say(noise, 4, up)})


def _words(norms: str | UploadedFile, n: int, batch: int, passes: int, sigma: float, epsilon: float) -> Part:
    low, high = _plan(n, batch, passes, sigma)
    sampling, steps = schedule(n, batch, passes)
    best = together.best_sample_clip(n, sigma, _read(norms)[0], sampling)
    sentence = (
        "{steps} steps, each on {sampling} of the records, with noise of {sigma} clips cost ε "
        "between {low} and {high} at δ = 10⁻⁵ (bounds). For ε = {budget} noise of {needs} is "
        "enough (bound). Of your {many} norms the best clip, {best}, cuts {cut} and leaves an "
        "error of {least} of their mean (exact for gradients that point one way)."
    )
    alt = (
        "Left, the error of a step over the clip, with the best clip, {best}, marked. Right, "
        "ε over the noise: your plan lies at {sigma} and {high}, your budget is {budget}, and "
        "noise of {needs} keeps it."
    )
    table = [
        ["setting", "value"],
        ["records", str(n)],
        ["batch, on average", str(min(batch, n))],
        ["sampling", f"{sampling:.6g}"],
        ["steps", str(steps)],
        ["noise over clip", f"{sigma:.6g}"],
        ["best clip (exact for gradients that point one way)", f"{best:.4g}"],
        ["delta", "1e-05"],
        ["epsilon at least (bound)", f"{down(low):.4g}"],
        ["epsilon at most (bound)", f"{up(high):.4g}"],
        ["neighbours", "one record added or removed"],
        [f"noise for epsilon {epsilon:g} (bound)", f"{up(_needed(n, batch, passes, epsilon)):.4g}"],
    ]
    meta: dict[str, Any] = {"sentence": sentence, "alt": alt, "table": table}
    return Part(meta={**meta, "headline": "ε ≤ {high}; clip at {best}"})


@declared
def clip_lab(
    norms: Annotated[
        str | UploadedFile, File(EXAMPLE_NORMS, roles=NORM_ROLES, label="Norms")
    ] = EXAMPLE_NORMS[0],
    n: Annotated[int, Count(list(RECORDS), 60_000, label="Records, n")] = 60_000,
    batch: Annotated[int, Count(list(BATCHES), 500, label="Batch")] = 500,
    passes: Annotated[int, Count(list(PASSES), 10, label="Passes")] = 10,
    sigma: Annotated[float, Stops(list(LAB_NOISES), 1.1, label="Noise, σ")] = 1.1,
    epsilon: Annotated[float, Stops(list(BUDGETS), 3.0, label="Wanted, ε")] = 3.0,
) -> go.Figure:
    """Plan a training run: where to clip, what it costs, and the noise that a budget needs.

    Notes
    -----
    `mipbook.together.certified_epsilon`, stored at the stops of the page, and
    `mipbook.together.best_sample_clip`.

    Examples
    --------
    >>> clip_lab("two lengths").layout.meta["table"][4]
    ['steps', '1200']
    """
    plan = {"n": n, "batch": batch, "passes": passes}
    return stacked(
        layer(_axes),
        layer(_left, norms=norms, n=n, batch=batch, sigma=sigma),
        layer(_right, **plan, sigma=sigma),
        layer(_budget, **plan, epsilon=epsilon),
        layer(_words, norms=norms, **plan, sigma=sigma, epsilon=epsilon),
    )
