"""Noise against eta for the reciprocal-sum query: Figure 1 of the MIP and RIP papers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable import validate
from explorable.panels import Choice, Part, declared, layer, stacked
from mipbook import mip
from mipbook.base.types import Array
from mipbook.figures.frame import axis
from mipbook.figures.looks import DP, MIP, PUBLISHED
from mipbook.figures.marks import Trace, band, curve, reading
from mipbook.figures.mip.promises import promise
from mipbook.figures.words import say, times

if TYPE_CHECKING:
    from mipbook.figures.printed import PrintFigure

__all__ = ["noise_vs_eta", "noise_vs_eta_print", "win_factor"]

# Dense towards both ends, where the curves turn.
_ETA = 0.25 - 0.249 * np.cos(np.linspace(0, np.pi, 61))
_PROMISES = promise(0.001, 0.499)
_SIZES = np.arange(4, 61, 2)
_RECORDS = _SIZES.tolist()
# The size that the papers draw, and that a sentence tells of.
_TOLD = 36
# Whether the constant is as published, and the look, by its name.
_CONSTANTS = {"published": (True, PUBLISHED), "tight": (False, MIP.bound())}


@lru_cache(maxsize=1024)
def _dp_noise(n: int, eta: float | None) -> Any:
    """Return the noise through DP at an eta, or along the drawn ones."""
    sensitivity = mip.reciprocal_sensitivity(n)
    return mip.laplace_dp_scale(_ETA if eta is None else eta, sensitivity)


@lru_cache(maxsize=1024)
def _mip_noise(n: int, M: int, constant: str, eta: float | None) -> Any:
    """Return the noise through MIP at an eta, or along the drawn ones."""
    spread = mip.reciprocal_absolute_moment(n, M)
    published, _ = _CONSTANTS[constant]
    return mip.noise_scale(_ETA if eta is None else eta, M=M, as_published=published) * spread


def _gain(ratio: float) -> str:
    return f"{times(ratio)} less noise" if ratio > 1 else f"{times(1 / ratio)} more noise"


@lru_cache(maxsize=256)
def _range_won(n: int, M: int) -> str:
    """Say on which part of the eta axis the published noise wins."""
    crossings = mip.noise_crossings(n, M=M)
    if crossings is None:
        return f"At n = {n} the published noise wins nowhere."
    share = min(0.5, crossings.high) - crossings.low
    return (
        f"At n = {n} the published noise wins from η = {say(crossings.low)} to "
        f"{say(crossings.high)}, {share * 200:.1f}% of the range (exact)."
    )


def _routes(n: int, M: int) -> Part:
    """Return the noise of each route along all of eta."""
    hover = "η = %{x:.3f}: a scale of %{y:.3g}<extra></extra>"
    curves = [
        curve("DP (exact)", _ETA, _dp_noise(n, None), DP, hovertemplate=hover),
        *(
            curve(
                f"MIP, {name} constant (bound)",
                _ETA,
                _mip_noise(n, M, name, None),
                look,
                most=9,
                hovertemplate=hover,
            )
            for name, (_, look) in _CONSTANTS.items()
        ),
    ]
    sentence = (
        f"To promise η = {{eta}} on {n} records, DP adds Laplace noise of scale {{dp}} (exact). "
        f"The published constant adds {{published}}, the tight one {{tight}} (bounds). "
        f"{_range_won(n, M)}"
    )
    alt = (
        f"Noise scale on a logarithmic axis against eta from 0 to one half, for n = {n} and "
        f"M = {M}. The dotted DP curve and two MIP curves all fall as eta grows; at "
        "eta = {eta} they stand at {dp}, {published} and {tight}."
    )
    layout = {
        "xaxis": axis("η, the edge over a coin toss", range=[0, 0.5]),
        "yaxis": axis("Laplace scale of the noise", log=True, range=[-1, 10], dtick=2),
        "height": 400,
    }
    probe = [trace["name"] for trace in curves]
    meta = {"sentence": sentence, "alt": alt, "probe": probe, "ghost": probe[:1]}
    stops = _PROMISES.stops
    track = {"x": stops, "y": mip.laplace_dp_scale(stops, mip.reciprocal_sensitivity(n))}
    grab = [{"control": "eta", "axis": "x", "track": track}]
    return Part(curves, layout, meta={**meta, "grab": grab})


def _needs(n: int, M: int, eta: float) -> Part:
    """Return what each route needs at the reader's eta."""
    dp = float(_dp_noise(n, eta))
    noises = {name: float(_mip_noise(n, M, name, eta)) for name in _CONSTANTS}
    words = {name: say(noise) for name, noise in {"eta": eta, "dp": dp, **noises}.items()}
    here = reading([eta] * 3, [dp, *noises.values()], "at your η")
    return Part([here], words=words, meta={"headline": _gain(dp / noises["published"])})


@declared
def noise_vs_eta(
    n: Annotated[int, Choice(_RECORDS, label="Records, n")] = 36,
    M: Annotated[int, Choice([2, 3, 4, 8], label="Moment, M")] = 2,
    eta: Annotated[float, _PROMISES] = 0.1,
) -> go.Figure:
    """Draw the Laplace scale that each route to eta-MIP asks of the reciprocal-sum query.

    The MIP curves are (6.16/eta)^(1+2/M) and 1/ln(1/(1-2 eta)) times the M-th moment spread.

    Notes
    -----
    MIP paper, Figure 1 and Proposition 11; RIP paper, Figure 1 and Proposition 9.

    Examples
    --------
    >>> [trace.name for trace in noise_vs_eta(36).data][:2]
    ['DP (exact)', 'MIP, published constant (bound)']
    """
    return stacked(layer(_routes, n=n, M=M), layer(_needs, n=n, M=M, eta=eta))


@lru_cache(maxsize=1)
def _sensitivities() -> Array:
    return np.array([mip.reciprocal_sensitivity(n) for n in _SIZES.tolist()])


@lru_cache(maxsize=8)
def _spreads(M: int) -> Array:
    return np.array([mip.reciprocal_absolute_moment(n, M) for n in _SIZES.tolist()])


@declared
def win_factor(
    eta: Annotated[float, promise(0.001, 0.49, play=True)] = 0.1,
    M: Annotated[int, Choice([2, 3, 4, 8], label="Moment, M")] = 2,
) -> go.Figure:
    """Draw how many times less noise than DP each MIP constant needs, against n.

    Notes
    -----
    MIP paper, Proposition 11 and Figure 1.  For M = 2 the band reaches from the exact
    spread to the square root of 5, the bound that the paper's own proof gives.

    Examples
    --------
    >>> win_factor(0.1).layout.meta["sentence"][:29]
    'At η = 0.1 the published MIP '
    """
    return stacked(layer(_ratios, eta=eta, M=M))


@lru_cache(maxsize=256)
def _won(eta: float, M: int, constant: str) -> Array:
    """Return how many times less noise than DP a constant needs, at each size."""
    published, _ = _CONSTANTS[constant]
    noise = float(mip.noise_scale(eta, M=M, as_published=published)) * _spreads(M)
    return np.asarray(mip.laplace_dp_scale(eta, _sensitivities())) / noise


def _ratios(eta: float, M: int) -> Part:
    published, tight = _won(eta, M, "published"), _won(eta, M, "tight")
    of_the_proof: list[Trace] = []
    if M == 2:
        name = "if σ is the proof's √5"
        least = published * _spreads(M) / np.sqrt(5)
        of_the_proof = [band(name, _SIZES, least, published, PUBLISHED)]
    wins = _SIZES[published > 1]
    here = [float(ratios[_SIZES == _TOLD][0]) for ratios in (published, tight)]
    first = f"from n = {wins[0]} on" if wins.size else "at no n up to 60"
    sentence = (
        f"At η = {say(eta)} the published MIP noise beats DP {first}; the tight constant "
        f"beats it at {int((tight > 1).sum())} of {_SIZES.size} sizes. At n = {_TOLD} DP needs "
        f"{times(here[0])} the published noise and {times(here[1])} the tight one (exact ratios "
        "of bounds)."
    )
    alt = (
        f"Ratio of DP noise to MIP noise on a logarithmic axis against n from 4 to 60, at "
        f"eta = {say(eta)} and M = {M}. The curve of the tight constant lies above the one of "
        f"the published constant, which has crosses and is above 1 {first}."
    )
    layout = {
        "xaxis": axis("records in the data set, n", range=[2, 62]),
        "yaxis": axis("DP noise / MIP noise", log=True, range=[-7, 10], dtick=2),
        "height": 400,
        **_dp_wins_below(),
    }
    words = "%{x} records: DP needs %{y:.3g} times this noise<extra></extra>"
    hover: dict[str, Any] = {"hovertemplate": words}
    traces = [
        *of_the_proof,
        curve("published constant (bound)", _SIZES, published, PUBLISHED, marked=True, **hover),
        curve("tight constant (bound)", _SIZES, tight, MIP.bound(), marked=True, **hover),
    ]
    probe = [trace["name"] for trace in traces[-2:]]
    meta = {"sentence": sentence, "alt": alt, "probe": probe, "ghost": probe[:1]}
    return Part(traces, layout, meta={**meta, "headline": _gain(here[0])})


def _dp_wins_below() -> dict[str, Any]:
    """Return the layout's line at the ratio 1, with its words."""
    line = {"color": DP.colour, "dash": DP.dash, "width": DP.width}
    across = {"xref": "x domain", "yref": "y"}
    words = {"text": "below this line DP wins", "showarrow": False, "yanchor": "top"}
    return {
        "shapes": [{"type": "line", "x0": 0, "x1": 1, "y0": 1, "y1": 1, "line": line, **across}],
        # An annotation's place on a logarithmic axis is the logarithm.
        "annotations": [{**words, "x": 1, "xanchor": "right", "y": 0, **across}],
    }


def noise_vs_eta_print(sizes: tuple[int, ...] = (36, 40, 44, 48)) -> PrintFigure:
    """Draw the papers' Figure 1 for print: one solid MIP line, a dotted DP line a size.

    Parameters
    ----------
    sizes : tuple of int
        The data set sizes, each even, in [4, 60].

    Notes
    -----
    MIP paper and RIP paper, Figure 1, with M = 2.  The papers leave open which number
    stands for sigma; the line uses the exact standard deviation, the band reaches to
    the square root of 5 from the papers' proof.

    Examples
    --------
    >>> len(noise_vs_eta_print().axes[0].lines)
    5
    """
    # Only print pictures need matplotlib, which is slow to import.
    from mipbook.figures.printed import PrintFigure

    sizes = validate.sequence("sizes", sizes, "even numbers in [4, 60]")
    if not sizes:
        validate.refuse("sizes", sizes, "at least one even number in [4, 60]")
    sizes = tuple(validate.integer("sizes", n, 4, 60, multiple_of=2) for n in sizes)
    eta = np.linspace(0.005, 0.495, 197)
    published = np.asarray(mip.noise_scale(eta, M=2, as_published=True))
    picture = PrintFigure(figsize=(6.4, 4.2), dpi=160, layout="constrained")
    plane = picture.subplots()
    low, high = published * mip.reciprocal_absolute_moment(sizes[0], 2), published * np.sqrt(5)
    plane.plot(eta, low, color=PUBLISHED.colour, label="MIP, any n (bound)")
    plane.fill_between(eta, low, high, color=PUBLISHED.colour, alpha=0.15)
    for n, marker in zip(sizes, "osD^v<>", strict=False):
        noise = np.asarray(mip.laplace_dp_scale(eta, mip.reciprocal_sensitivity(n)))
        settings: dict[str, Any] = {"marker": marker, "markevery": 28, "color": DP.colour}
        plane.plot(eta, noise, ":", label=f"DP, n = {n} (exact)", **settings)
    plane.set(
        yscale="log",
        xlim=(0, 0.5),
        xlabel="eta, the edge over a coin toss",
        ylabel="Laplace scale of the noise",
    )
    plane.legend(frameon=False, fontsize=9)
    plane.grid(alpha=0.3)
    return picture
