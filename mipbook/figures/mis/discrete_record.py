"""Discrete data, on record: how fast the leak falls, and how diverse data can be."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mis

# --- How fast the leak falls --------------------------------------------------------------------

_N = np.unique(np.round(np.geomspace(10, 1e5, 33)))
_HALVING = (0.5, 0.25, 0.125, 0.0625, 0.0625)
_CHANCES = [*(0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99), 0.995, 0.998, 0.999]
_five = k.few(lambda nu: np.asarray(mis.worst_case_delta(_HALVING, _N, nu)))


def _slope(name, delta, look):
    # A logarithmic axis has no place for an underflow; 1e-11 is far below the picture.
    over = f"%{{x:,}} records, {name}: Δ = %{{y:.2g}}"
    return k.curve(name, _N, np.maximum(delta, 1e-11), look, hover=over)


def _at_thousand(delta):
    """Name a curve's value at 1,000 records, where the sentence reads it."""
    found = float(delta[list(_N).index(1000)])
    return k.exact(found) if found > 1e-300 else "less than 10⁻³⁰⁰"


def _slopes():
    five = _five(0.5)
    return k.part(
        _slope("five values", five, k.SERIES[0]),
        x=k.axis("records, n", log=True, range=[1, 5]),
        y=k.axis("Δ of the learner", log=True, range=[-8, 0], dtick=2),
        height=420,
        probe=["infinitely many", "five values", "five, your ν", "product learner"],
        headline="Exponent {exponent} against 0.5",
        sentence="At n = 1,000 the worst learner has Δ = {heavy} on infinitely many values, with exponent "
        "{exponent}{logarithm} in the end, and {five} on five, with exponent 0.5{mix}; the product learner "
        "has {product} (all exact).",
        alt="Delta against n from 10 to 100,000 on logarithmic axes. Two nearly straight lines fall, for "
        "infinitely many values with exponent {exponent} in the end, for five with exponent 0.5; the product "
        "learner's curve bends down and out of the picture, and that of five values at your ν {bend}. At n = "
        "1,000: {heavy}, {five}, {product} and {mixed}.",
        five=_at_thousand(five),
    )


def _heavy(alpha):
    # Between two bounds that agree to eight digits.
    delta = np.array([mis.power_law_delta(int(n), alpha).low for n in _N])
    return k.part(
        _slope("infinitely many", delta, k.SERIES[3]),
        heavy=_at_thousand(delta),
        exponent=mis.power_law_exponent(alpha),
        logarithm=" up to a logarithm" if alpha == 2 else "",
    )


def _mixed(nu):
    delta = _five(nu)
    mixed, mix = _at_thousand(delta), ", but {mixed} at ν = {nu}, where no power of n rules"
    mix = "" if nu == 0.5 else k.told(mix, mixed=mixed, nu=nu)
    bend = "lies on that of five" if nu == 0.5 else "bends down, below that of five"
    return k.part(_slope("five, your ν", delta, k.SERIES[2]), mix=mix, mixed=mixed, bend=bend)


def _product(p):
    delta = np.asarray(mis.product_delta(p, _N))
    return k.part(_slope("product learner", delta, k.SERIES[1]), product=_at_thousand(delta))


@k.figure
def three_slopes(
    alpha: Annotated[float, k.Slider(1.1, 3.5, step=0.05, label="Tail exponent, α")] = 1.25,
    p: Annotated[float, k.Stops(_CHANCES, label="Product learner, p")] = 0.9,
    nu: Annotated[float, k.Slider(0.3, 0.5, step=0.01, label="Share of fresh points, ν")] = 0.45,
):
    """Draw Delta against n for finitely many values, a heavy tail, and the product learner.

    Notes
    -----
    Limits paper, Corollary 15 and Lemmas 20 and 22.  On the infinite distribution p_k is
    proportional to k^-alpha; the product learner multiplies records that are 1 with chance p.

    Examples
    --------
    >>> "exponent 0.2" in three_slopes().layout.meta["sentence"]
    True
    """
    return _heavy, _slopes, _mixed, _product


# --- How diverse the data can be ----------------------------------------------------------------

_PLACE = k.Slider(0.0, 1.0, points=25, label="From uniform (0) to one value (1)")


def _largest(K, place):
    return np.minimum(1 / K + (1 - 1 / K) * place, 1.0)


def _band(K):
    x = _largest(K, np.linspace(0, 1, 121))
    low, high = map(np.asarray, mis.diversity_range(K, x))
    # Each entropy is largest where all other values are alike.
    flattest = np.column_stack([x, np.repeat((1 - x[:, None]) / (K - 1), K - 1, axis=1)])
    gini = [2 * mis.gini_simpson(p) for p in flattest]
    shannon = [mis.shannon_entropy(p) / mis.SHANNON_FACTOR for p in flattest]
    over = "largest probability %{x:.3f}: "
    most = {"customdata": [k.up(v, 3) for v in high], "hover": f"{over}C(K) is at most %{{customdata:.3g}}"}
    least = {
        "customdata": [k.down(v, 3) for v in low],
        "hover": f"{over}C(K) is at least %{{customdata:.3g}}",
        "fill": "tonexty",
    }
    entropies = (
        {"hover": f"{over}Gini–Simpson promises %{{y:.3f}}"},
        {"hover": f"{over}Shannon promises %{{y:.3f}}"},
    )
    places = _largest(K, np.linspace(0, 1, len(_PLACE.stops)))
    return k.part(
        k.curve("most", x, high, k.MIS, **most),
        k.curve("least", x, low, k.MIS.bound(), **least),
        k.curve("2 Gini–Simpson", x, gini, k.SERIES[2], **entropies[0]),
        k.curve("Shannon × 2/ln 5", x, shannon, k.SERIES[3], **entropies[1]),
        x=k.axis("largest probability", range=[0, 1.02]),
        y=k.axis("diversity, C(K)", range=[0, 4.05]),
        height=420,
        grab=k.drag("place", places, mis.diversity_range(K, places)[1]),
        sentence="With {K} values, the likeliest of them of probability {largest}, {verdict}.",
        alt="A band against the largest probability from {start} to 1 for {K} values. Its upper edge falls "
        "from {top} to 0, its lower edge touches it at both ends and has kinks at 1/2, 1/3 and so on. Two "
        "dotted entropy curves lie below the upper edge. At {largest} the band goes from {least} to {most}.",
        **k.words(K=K, start=1 / K, top=high[0]),
    )


def _in_band(K, place):
    largest = float(_largest(K, place))
    least, most = (float(end) for end in mis.diversity_range(K, largest))
    single = most - least < 1e-9
    which = "one distribution is" if largest < 1 else "the case of a single value is"
    verdict = (
        f"only {which} possible, with C(K) = {{most}} (exact)"
        if single
        else "C(K) lies between {least} and {most}, both attained (exact), so a factor of {factor} in the "
        "records needed stays open"
    )
    factor, thin = "" if single else k.exact((most / least) ** 2), replace(k.READING, width=1)
    return k.part(
        k.curve("at your place", [largest] * 2, [least, most], thin, marked=True, showlegend=False),
        headline="C(K) = {most}" if single else "C(K): {least} to {most}",
        **k.words(largest=largest, least=least, most=most),
        verdict=k.told(verdict, least=least, most=most, factor=factor),
    )


@k.figure
def diversity_band(
    K: Annotated[int, k.Slider(2, 17, step=1, label="Values, K", play=True)] = 5,
    place: Annotated[float, _PLACE] = 0.25,
):
    """Draw the band of C_K against the largest probability, with what two entropies promise.

    Notes
    -----
    Limits paper, Lemmas 23 and 24 and Appendix C.2.

    Examples
    --------
    >>> "between 1.38 and 1.92" in diversity_band(5).layout.meta["sentence"]
    True
    """
    return _band, _in_band
