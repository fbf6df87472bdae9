"""What PMP buys of MIP, and mechanisms on which the two notions disagree."""

from typing import Annotated, Any

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip, pmp
from mipbook.mechanisms import randomised_response

_EPSILON = k.Slider(0.0, 8.0, 1.0, step=0.1, label="ε")
_ETA = k.Slider(0.01, 0.33, 0.1, step=0.01, label="Published member: η")
_GRID = np.linspace(0, 8, 65)
# Where the axis puts infinity, and how many members there are.
_FAR, _N = 9.0, 3


@k.cache
def _published_member(eta):
    """Return eta of publishing a random member, and of publishing the smallest."""
    tables = (pmp.publish_one(_N, eta, which) for which in ("random", "smallest"))
    return [mip.finite_eta(table, mip.subsets(2 * _N)) for table in tables]


def _curves():
    names, said = ["as published (bound)", "sharp (bound)"], "%{x:.3g}-PMP gives η = %{y:.3g}"
    printed, sharp = pmp.eta_from_pmp(_GRID, as_published=True), pmp.eta_from_pmp(_GRID)
    ticks: dict[str, Any] = {"tickvals": [0, 2, 4, 6, 8, _FAR], "ticktext": ["0", "2", "4", "6", "8", "∞"]}
    by_epsilon = k.drag("epsilon", _EPSILON.stops, pmp.eta_from_pmp(_EPSILON.stops))
    heights = [_published_member(eta)[1] for eta in _ETA.stops]
    return k.part(
        k.curve(names[0], _GRID, printed, k.PUBLISHED, hover=f"as published, {said}"),
        # Attained at every epsilon, so it is drawn as what is exact.
        k.curve(names[1], _GRID, sharp, k.MIP, hover=said),
        x=k.axis("PMP parameter, ε", range=[-0.2, 9.5], **ticks),
        y=k.axis("η", range=[0, 0.55]),
        height=430,
        probe=names,
        grab=by_epsilon + k.drag("eta", [_FAR] * len(heights), heights, "y"),
        alt="Eta against the PMP parameter from 0 to 8: a dashed curve above a solid one, both from 0 to one "
        "half; at {epsilon} they are {printed} and {sharp}. At the right edge, infinity: a triangle at "
        "{one}, a square at {first}, a star at 0.5.",
    )


def _at_epsilon(epsilon):
    """Return what an epsilon gives, and randomised response, which needs it."""
    printed, sharp = float(pmp.eta_from_pmp(epsilon, as_published=True)), float(pmp.eta_from_pmp(epsilon))
    attained = mip.finite_eta(randomised_response(epsilon), mip.subsets(2))
    told = (
        "{epsilon}-PMP gives η = {most_printed} as published, {most_sharp} sharp (bounds); randomised "
        "response needs {attained} (exact)."
        if epsilon
        else "At ε = 0 both say that η is 0 (bound)."
    )
    return k.part(
        k.reading(epsilon, attained, "randomised response (exact)", showlegend=True),
        headline="ε = {epsilon} gives η = {sharp}",
        sentence=f"{told} At infinity: to publish a random member with chance {{chance}} has η = {{one}}, "
        "the smallest {first} (exact). To publish everything has one half.",
        epsilon=epsilon,
        printed=printed,
        sharp=sharp,
        most_printed=k.at_most(printed, digits=4),
        most_sharp=k.at_most(sharp, digits=4),
        attained=k.exact(attained, digits=4),
    )


def _at_infinity(eta):
    """Return the three mechanisms without any finite epsilon."""
    one, first = _published_member(eta)
    drawn = (
        ("publish a random member", one, k.SERIES[2].with_symbol("triangle-up")),
        ("publish the smallest", first, k.SERIES[3].with_symbol("square")),
        ("publish all: even parity", 0.5, k.READING.with_symbol("star")),
    )
    said = "η = %{y:.3g}, ε infinite"
    traces = [k.points(name, _FAR, y, look, size=13, hover=f"{name}: {said}") for name, y, look in drawn]
    return k.part(traces, chance=k.exact(_N * eta, k.percent), one=one, first=first)


@k.figure
def pmp_to_mip(epsilon: Annotated[float, _EPSILON] = 1.0, eta: Annotated[float, _ETA] = 0.1):
    """Draw eta against the PMP parameter, as published and sharp, and three bad mechanisms.

    One of them publishes one of n = 3 members with probability n eta.

    References
    ----------
    PMP paper, Lemma 13 and the examples of its appendix.

    Examples
    --------
    >>> "0.231" in pmp_to_mip(1.0).layout.meta["sentence"]
    True
    """
    return _curves, _at_epsilon, _at_infinity
