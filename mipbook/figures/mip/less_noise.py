"""Noise for the reciprocal-sum query by its routes: Figure 1 of the MIP and RIP papers."""

from typing import Annotated, Any

import numpy as np

import mipbook.figures.kit as k
from explorable import validate
from mipbook import mip

# Dense towards both ends, where the curves turn.
_ETA = 0.25 - 0.249 * np.cos(np.linspace(0, np.pi, 61))
_PROMISES = k.promise(0.001, 0.499)
_SIZES = np.arange(4, 61, 2)
_MOMENT = k.Choice([2, 3, 4, 8], label="Moment, M")
# Whether the constant is as published, and the look, by its name.
_CONSTANTS = {"published": (True, k.PUBLISHED), "tight": (False, k.MIP.bound())}


_spread = k.cache(mip.reciprocal_absolute_moment)


def _noises(n, M, eta):
    """Return the noise through DP, and through MIP with the published and the tight constant."""
    dp = mip.laplace_dp_scale(eta, mip.reciprocal_sensitivity(n))
    constants = (mip.noise_scale(eta, M=M, as_published=each) for each, _ in _CONSTANTS.values())
    return [dp, *(constant * _spread(n, M) for constant in constants)]


def _gain(ratio):
    less, factor = ("less", ratio) if ratio > 1 else ("more", 1 / ratio)
    return k.told(f"{{times}} {less} noise", times=k.exact(factor, k.times))


@k.cache
def _range_won(n, M):
    """Say on which part of the eta axis the published noise wins."""
    crossings = mip.noise_crossings(n, M=M)
    if crossings is None:
        return k.told("At n = {n} the published noise wins nowhere.", n=n)
    low, high = crossings.low, crossings.high
    share = k.exact(2 * (min(0.5, high) - low), ".1%")
    told = "At n = {n} the published noise wins from η = {low} to {high}, {share} of the range (exact)."
    return k.told(told, n=n, low=low, high=high, share=share)


def _routes(n, M):
    """Return the noise of each route along all of eta."""
    hover = "η = %{x:.3f}: a scale of %{y:.3g}"
    dp, *noises = _noises(n, M, _ETA)
    curves = [k.curve("DP (exact)", _ETA, dp, k.DP, hover=hover)]
    for (name, (_, look)), noise in zip(_CONSTANTS.items(), noises, strict=True):
        curves.append(k.curve(f"MIP, {name} constant (bound)", _ETA, noise, look, most=9, hover=hover))
    probe = [curve["name"] for curve in curves]
    stops = _PROMISES.stops
    return k.part(
        curves,
        x=k.axis("η, the edge over a coin toss", range=[0, 0.5]),
        y=k.axis("Laplace scale of the noise", log=True, range=[-1, 10], dtick=2),
        height=400,
        sentence="To promise η = {eta} on {n} records, DP adds Laplace noise of scale {dp} (exact). The "
        "published constant adds {published}, the tight one {tight} (bounds). {won}",
        alt="Noise scale on a logarithmic axis against eta from 0 to one half, for n = {n} and M = {M}. The "
        "dotted DP curve and two MIP curves all fall as eta grows; at eta = {eta} they stand at {dp}, "
        "{published} and {tight}.",
        probe=probe,
        ghost=probe[:1],
        grab=k.drag("eta", stops, mip.laplace_dp_scale(stops, mip.reciprocal_sensitivity(n))),
        **k.words(n=n, M=M, won=_range_won(n, M)),
    )


def _needs(n, M, eta):
    """Return what each route needs at the reader's eta."""
    dp, published, tight = noises = _noises(n, M, eta)
    return k.part(
        k.reading([eta] * 3, noises, "at your η"),
        headline="{gain}",
        **k.words(eta=eta, dp=dp, gain=_gain(dp / published)),
        **k.words(k.at_most, published=published, tight=tight),
    )


@k.figure
def noise_vs_eta(
    n: Annotated[int, k.Choice(_SIZES.tolist(), label="Records, n")] = 36,
    M: Annotated[int, _MOMENT] = 2,
    eta: Annotated[float, _PROMISES] = 0.1,
):
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
    return _routes, _needs


def noise_vs_eta_print(sizes: tuple[int, ...] = (36, 40, 44, 48)):
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
    sizes = validate.sequence("sizes", sizes, "even numbers in [4, 60]")
    if not sizes:
        validate.refuse("sizes", sizes, "at least one even number in [4, 60]")
    sizes = tuple(validate.integer("sizes", n, 4, 60, multiple_of=2) for n in sizes)
    eta = np.linspace(0.005, 0.495, 197)
    published = np.asarray(mip.noise_scale(eta, M=2, as_published=True))
    picture = k.print_figure(figsize=(6.4, 4.2), dpi=160, layout="constrained")
    plane, orange = picture.subplots(), k.PUBLISHED.colour
    low, high = published * _spread(sizes[0], 2), published * np.sqrt(5)
    plane.plot(eta, low, label="MIP, any n (bound)", color=orange)
    plane.fill_between(eta, low, high, alpha=0.15, color=orange)
    for n, marker in zip(sizes, "osD^v<>", strict=False):
        noise = mip.laplace_dp_scale(eta, mip.reciprocal_sensitivity(n))
        settings: dict[str, Any] = {"marker": marker, "markevery": 28, "color": k.DP.colour}
        plane.plot(eta, noise, ":", label=f"DP, n = {n} (exact)", **settings)
    axes = {"xlabel": "eta, the edge over a coin toss", "ylabel": "Laplace scale of the noise"}
    plane.set(yscale="log", xlim=(0, 0.5), **axes)
    plane.legend(frameon=False, fontsize=9)
    plane.grid(alpha=0.3)
    return picture
