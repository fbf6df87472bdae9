"""What the reciprocal-sum query really needs, beside what the routes ask for."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Part, declared, layer, stacked
from mipbook import mip
from mipbook.base.types import Array
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import curve
from mipbook.figures.mip.promises import promise
from mipbook.figures.words import say

__all__ = ["exact_noise"]

_SIZES = (4, 6, 8, 10, 12)
_TOLD = 12
_DRAWN = (
    ("DP (exact)", looks.DP),
    ("MIP, published constant (bound)", looks.PUBLISHED),
    ("MIP, tight constant, first moment (bound)", looks.MIP.bound()),
    ("smallest sufficient (exact)", looks.MIP),
)


@lru_cache(maxsize=1)
def _queries() -> list[tuple[float, float, float, Array, NDArray[np.bool_]]]:
    """Return the sensitivity, two moments and all outputs with their halves, for each size."""
    return [
        (
            mip.reciprocal_sensitivity(n),
            mip.reciprocal_absolute_moment(n, 2),
            mip.reciprocal_absolute_moment(n, 1),
            *mip.reciprocal_outputs(n),
        )
        for n in _SIZES
    ]


def _routes(eta: float) -> list[list[float]]:
    """Return the scale by DP, by the published and by the tight constant, and the least one."""
    queries = _queries()
    published, tight = mip.noise_scale(eta, M=2, as_published=True), mip.noise_scale(eta)
    return [
        [float(mip.laplace_dp_scale(eta, sensitivity)) for sensitivity, *_ in queries],
        [float(published) * spread for _, spread, *_ in queries],
        [float(tight) * deviation for _, _, deviation, *_ in queries],
        [mip.minimal_laplace_scale(outputs, halves, eta) for *_, outputs, halves in queries],
    ]


def _curves(eta: float) -> Part:
    routes = _routes(eta)
    traces = [
        curve(
            name,
            _SIZES,
            scales,
            look,
            marked=True,
            hovertemplate="%{x} records: a scale of %{y:.3g}<extra>" + name + "</extra>",
        )
        for (name, look), scales in zip(_DRAWN, routes, strict=True)
    ]
    at = _SIZES.index(_TOLD)
    dp, published, tight, need = (say(scales[at]) for scales in routes)
    sentence = (
        f"On {_TOLD} records at η = {say(eta)} a Laplace scale of {need} is enough and no smaller "
        f"one is (exact). The tight bound asks for {tight}, DP for {dp}, the published constant "
        f"for {published}: sufficient, not necessary."
    )
    alt = (
        f"Four curves of noise scale against the number of records, on a logarithmic axis, at eta "
        f"= {say(eta)}. DP rises, the published constant is level, the tight bound falls, and the "
        f"exact need falls fastest. At {_TOLD} records: {dp}, {published}, {tight} and {need}."
    )
    times = say(routes[0][at] / routes[-1][at], 2)
    meta = {
        "sentence": sentence,
        "alt": alt,
        "headline": f"DP adds {times} times too much",
        "probe": [name for name, _ in _DRAWN],
        "ghost": [_DRAWN[-1][0]],
    }
    return Part(traces, meta=meta)


def _frame() -> Part:
    layout = {
        "xaxis": axis("records, n", range=[3.6, 12.4], tickvals=_SIZES),
        "yaxis": axis("Laplace scale of the noise", log=True, range=[-4, 8], dtick=2),
        "height": 420,
    }
    return Part(layout=layout)


@declared
def exact_noise(eta: Annotated[float, promise(0.002, 0.45)] = 0.1) -> go.Figure:
    """Draw the smallest sufficient Laplace scale against the records, with three upper bounds.

    Notes
    -----
    The query of MIP Proposition 11.  The tight bound uses the first absolute moment.

    Examples
    --------
    >>> [trace.name for trace in exact_noise(0.1).data][:2]
    ['DP (exact)', 'MIP, published constant (bound)']
    """
    return stacked(layer(_frame), layer(_curves, eta=eta))
