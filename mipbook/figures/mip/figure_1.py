"""Figure 1 of the MIP and RIP papers, with all that it holds still in the reader's hand."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip
from mipbook.figures.mip.promises import promise

# The sizes that the papers draw.
DRAWN = (36, 40, 44, 48)
_ETA = 0.25 - 0.249 * np.cos(np.linspace(0, np.pi, 61))
_PROMISES = promise(0.001, 0.499)
# Up to 60 as the papers speak of them, then to what they call typical of machine learning, and beyond.
_SIZES = [*range(4, 61, 4), 80, 100, 150, 200, 300, 500, 1000, 2000, 5000, 10_000, 50_000]
# The moment, and what stands for its spread: the exact value, or a bound on it.
_SPREADS = {
    "M = 2, σ exact": (2, None),
    "M = 2, σ = √5": (2, 5**0.5),
    "M = 2, σ = 5": (2, 5.0),
    "M = 3, σ exact": (3, None),
    "M = 4, σ exact": (4, None),
    "M = 8, σ exact": (8, None),
}
_TOP = 10
# Above this a number of this machine ends.
_LARGEST = 300


def _dp_log(n, eta):
    """Return the decimal logarithm of the noise through DP."""
    return mip.reciprocal_log_sensitivity(n) / np.log(10) + np.log10(mip.laplace_dp_scale(eta, 1.0))


def _mip_log(n, spread, eta):
    """Return the decimal logarithm of the published MIP noise."""
    M, given = _SPREADS[spread]
    size = mip.reciprocal_log_spread(n, M) if given is None else np.log(given)
    return size / np.log(10) + np.log10(mip.noise_scale(eta, M=M, as_published=True))


def _power(log, kind):
    """Say a number by its decimal logarithm, whatever its size."""
    digits = k.told("{digits} digits", digits=int(log) + 1)
    return kind(10.0**log) if log < _LARGEST else digits


def _line(name, logs, look, **more):
    shown = np.clip(logs, -_LARGEST, _LARGEST)
    return k.curve(name, _ETA, k.kept(10.0**shown, logs <= _TOP), look, **more)


def _printed():
    """Return the lines of DP that the papers draw, and the axes."""
    hover = "η = %{{x:.3f}}: DP needs %{{y:.3g}} on {} records"
    return k.part(
        [
            _line(f"DP, n = {n} (exact)", _dp_log(n, _ETA), k.LEVEL, hover=hover.format(n), showlegend=False)
            for n in DRAWN
        ],
        x=k.axis("η, the edge over a coin toss", range=[0, 0.5]),
        y=k.axis("Laplace scale of the noise", log=True, range=[-1, _TOP], dtick=2),
        height=420,
    )


def _routes(n, spread):
    """Return both routes at the reader's size along all of eta."""
    hover = "η = %{x:.3f}: a scale of %{y:.3g}"
    stops = _PROMISES.stops
    noise = _mip_log(n, spread, np.array(stops))
    name = "MIP, published constant (bound)"
    return k.part(
        _line("DP, your n (exact)", _dp_log(n, _ETA), k.DP, hover=hover),
        _line(name, _mip_log(n, spread, _ETA), k.PUBLISHED, most=9, hover=hover),
        probe=["DP, your n (exact)", name],
        ghost=["DP, your n (exact)"],
        grab=k.drag("eta", stops, 10.0 ** np.minimum(noise, _LARGEST)),
    )


def _needs(n, spread, eta):
    """Return what both routes need at the reader's eta."""
    dp, noise = float(_dp_log(n, eta)), float(_mip_log(n, spread, eta))
    moment, (_, _, how) = _SPREADS[spread][0], spread.partition(", ")
    logs = np.array([dp, noise])
    shown = k.kept(10.0 ** np.minimum(logs, _LARGEST), logs <= _TOP)
    gain = dp - noise
    less = k.told("{times} less noise", times=k.exact(10.0**gain, k.times) if gain < _LARGEST else "")
    if gain >= _LARGEST:
        less = k.told("less noise by a factor of {digits} digits", digits=int(gain) + 1)
    elif gain < 0:
        less = k.told("{times} more noise", times=k.exact(10.0**-gain, k.times))
    return k.part(
        k.reading([eta, eta], shown, "at your η"),
        headline="{less}",
        sentence="To promise η = {eta} on {n} records, DP needs a Laplace scale of {dp} (exact{high}), the "
        "published MIP noise for {noise} (bound, with {spread}): {less}.",
        alt="Noise scale on a logarithmic axis against eta from 0 to one half. Four dotted lines are DP "
        "on 36, 40, 44 and 48 records, each four times the one before. At eta = {eta} and n = {n} DP "
        "stands at {dp}{high}, the published MIP noise with {spread} at {noise}.",
        **k.words(
            eta=eta,
            n=n,
            spread=k.told("M = {M}, {how}", M=moment, how=how),
            less=less,
            dp=_power(dp, k.exact),
        ),
        noise=_power(noise, k.at_most),
        high=", above the picture" if dp > _TOP else "",
    )


@k.figure
def mip_figure_1(
    n: Annotated[int, k.Choice(_SIZES, label="Records, n")] = 36,
    spread: Annotated[str, k.Choice(list(_SPREADS), label="σ in the formula")] = "M = 2, σ exact",
    eta: Annotated[float, _PROMISES] = 0.1,
):
    """Draw the papers' Figure 1: the noise of MIP and of DP for the reciprocal-sum query.

    Notes
    -----
    MIP paper and RIP paper, Figure 1.  Which number stands for sigma the papers leave open.

    Examples
    --------
    >>> mip_figure_1(n=10_000).layout.meta["headline"]
    'less noise by a factor of 1,501 digits'
    """
    return _printed, _routes, _needs
