"""Noise against eta for the reciprocal-sum query: Figure 1 of the MIP and RIP papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mip
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, INK, ORANGE, fill
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import say, times

if TYPE_CHECKING:
    from mipbook.figures.printed import PrintFigure

__all__ = ["noise_vs_eta", "noise_vs_eta_print", "win_factor"]

# Dense towards both ends, where the curves turn.
_ETA = 0.25 - 0.249 * np.cos(np.linspace(0, np.pi, 61))
_LOWEST, _HIGHEST = 0.001, 0.499


def _published(eta: NDArray[np.float64], M: int) -> NDArray[np.float64]:
    return np.asarray(mip.noise_scale(eta, M=M, as_published=True))


def _tight(eta: NDArray[np.float64], M: int) -> NDArray[np.float64]:
    return np.asarray(mip.noise_scale(eta, M=M))


def _verdict(dp: float, other: float, name: str) -> str:
    if other < dp:
        return f"{name} needs {times(dp / other)} less noise than DP"
    return f"{name} needs {times(other / dp)} more noise than DP"


def _range_won(n: int, M: int) -> str:
    """Say on which part of the eta axis the published noise wins."""
    crossings = mip.noise_crossings(n, M=M)
    if crossings is None:
        return f"At n = {n} the published noise wins nowhere."
    share = min(0.5, crossings.high) - crossings.low
    return (
        f"At n = {n} the published noise wins from eta = {say(crossings.low)} to "
        f"{say(crossings.high)}, {share * 200:.1f}% of the range (exact)."
    )


def noise_vs_eta(
    n: int = 36, M: int = 2, constant: str = "published", eta: float = 0.1
) -> go.Figure:
    """Draw the Laplace scale that each route to eta-MIP asks of the reciprocal-sum query.

    Parameters
    ----------
    n : int
        Records in the data set, even, in [4, 60].
    M : int
        Moment exponent of Theorem 9, in [2, 8].
    constant : {"published", "tight", "both"}
        Which MIP curve to draw: (6.16/eta)^(1+2/M) times the M-th moment spread, or
        1/ln(1/(1-2 eta)) times the same spread.
    eta : float
        Where to read the curves, in [0.001, 0.499].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    MIP paper, Figure 1 and Proposition 11; RIP paper, Figure 1 and Proposition 9.

    Examples
    --------
    >>> [trace.name for trace in noise_vs_eta(36).data if trace.showlegend is not False]
    ['DP (exact)', 'MIP, published constant (bound)']
    """
    n = validate.integer("n", n, 4, 60, multiple_of=2)
    M = validate.integer("M", M, 2, 8)
    constant = validate.choice("constant", constant, ("published", "tight", "both"))
    eta = validate.number("eta", eta, _LOWEST, _HIGHEST)
    at = np.array([eta])
    spread = mip.reciprocal_absolute_moment(n, M)
    sensitivity = mip.reciprocal_sensitivity(n)
    routes = {
        "published": ("MIP, published constant (bound)", BLUE, "solid", _published),
        "tight": ("MIP, tight constant (bound)", GREEN, "dash", _tight),
    }
    dp = float(mip.laplace_dp_scale(eta, sensitivity))
    figure = go.Figure()
    figure.add_scatter(
        x=_ETA,
        y=np.asarray(mip.laplace_dp_scale(_ETA, sensitivity)),
        name="DP (exact)",
        line={"color": ORANGE, "dash": "dot", "width": 3},
    )
    dots, verdicts = [dp], []
    for key, (name, colour, dash, curve) in routes.items():
        if constant not in (key, "both"):
            continue
        figure.add_scatter(
            x=_ETA,
            y=curve(_ETA, M) * spread,
            name=name,
            line={"color": colour, "dash": dash, "width": 3},
        )
        dots.append(float(curve(at, M)[0] * spread))
        verdicts.append(_verdict(dp, dots[-1], f"MIP with the {key} constant"))
    figure.add_scatter(
        x=[eta] * len(dots),
        y=dots,
        mode="markers",
        name="at your eta",
        showlegend=False,
        marker={"color": INK, "size": 10, "symbol": "diamond"},
    )
    sentence = (
        f"To promise eta = {say(eta)} on {n} records, DP adds Laplace noise of scale {say(dp)} "
        f"(exact). {' and '.join(verdicts)} (bounds). {_range_won(n, M)}"
    )
    return finish(
        figure,
        sentence=sentence,
        alt=(
            f"Noise scale on a logarithmic axis against eta from 0 to one half, for n = {n} and "
            f"M = {M}. The dotted DP curve and the drawn MIP curves all fall as eta grows; "
            f"at eta = {say(eta)} they stand at " + ", ".join(say(d) for d in dots) + "."
        ),
        layout={
            "xaxis": axis("eta, the edge over a coin", range=[0, 0.5]),
            "yaxis": axis("Laplace scale of the noise", log=True, range=[-1, 10], dtick=2),
            "height": 420,
        },
    )


def win_factor(eta: float = 0.1, M: int = 2, n: int = 36) -> go.Figure:
    """Draw how many times less noise than DP each MIP constant needs, against n.

    Parameters
    ----------
    eta : float
        The promise, in [0.001, 0.499].
    M : int
        Moment exponent of Theorem 9, in [2, 8].
    n : int
        The data set's size that the sentence speaks of, even, in [4, 60].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    MIP paper, Proposition 11 and Figure 1.  For M = 2 the band reaches from the exact
    spread to the square root of 5, the bound that the paper's own proof gives.

    Examples
    --------
    >>> win_factor(0.1).layout.meta["sentence"][:29]
    'At eta = 0.1 the published MI'
    """
    eta = validate.number("eta", eta, _LOWEST, _HIGHEST)
    M = validate.integer("M", M, 2, 8)
    n = validate.integer("n", n, 4, 60, multiple_of=2)
    sizes = list(range(4, 61, 2))
    at = np.array([eta])
    dp = np.array([float(mip.laplace_dp_scale(eta, mip.reciprocal_sensitivity(k))) for k in sizes])
    spread = np.array([mip.reciprocal_absolute_moment(k, M) for k in sizes])
    published = dp / (_published(at, M)[0] * spread)
    tight = dp / (_tight(at, M)[0] * spread)
    figure = go.Figure()
    if M == 2:
        wide = dp / (_published(at, M)[0] * np.sqrt(5))
        figure.add_scatter(
            x=sizes + sizes[::-1],
            y=np.concatenate([published, wide[::-1]]),
            fill="toself",
            fillcolor=fill(BLUE),
            line={"width": 0},
            hoverinfo="skip",
            name="if sigma is the proof's √5",
        )
    figure.add_scatter(
        x=sizes,
        y=published,
        mode="lines+markers",
        name="published constant (bound)",
        line={"color": BLUE},
        marker={"symbol": "circle", "size": 7},
    )
    figure.add_scatter(
        x=sizes,
        y=tight,
        mode="lines+markers",
        name="tight constant (bound)",
        line={"color": GREEN, "dash": "dash"},
        marker={"symbol": "square", "size": 7},
    )
    figure.add_hline(
        y=1,
        line={"color": ORANGE, "dash": "dot", "width": 3},
        annotation_text="below this line DP wins",
        annotation_position="bottom right",
    )
    chosen = sizes.index(n)
    wins = [k for k, factor in zip(sizes, published, strict=True) if factor > 1]
    first = f"from n = {wins[0]} on" if wins else "at no n up to 60"
    sentence = (
        f"At eta = {say(eta)} the published MIP noise beats DP {first}; the tight constant "
        f"beats it at {int((tight > 1).sum())} of {len(sizes)} sizes. At n = {n} DP needs "
        f"{times(float(published[chosen]))} the published noise and {times(float(tight[chosen]))} "
        "the tight one (exact ratios of bounds)."
    )
    return finish(
        figure,
        sentence=sentence,
        alt=(
            f"Ratio of DP noise to MIP noise on a logarithmic axis against n from 4 to 60, at "
            f"eta = {say(eta)} and M = {M}. The dashed curve of the tight constant lies above the "
            f"solid one of the published constant, which is above 1 {first}."
        ),
        layout={
            "xaxis": axis("records in the data set, n"),
            "yaxis": axis("DP noise / MIP noise", log=True, dtick=2),
            "height": 420,
        },
    )


def noise_vs_eta_print(sizes: tuple[int, ...] = (36, 40, 44, 48)) -> PrintFigure:
    """Draw the papers' Figure 1 for print: one solid MIP line, a dotted DP line a size.

    Parameters
    ----------
    sizes : tuple of int
        The data set sizes, each even, in [4, 60].

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        For a size outside its range.

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
    published = _published(eta, 2)
    picture = PrintFigure(figsize=(6.4, 4.2), dpi=160, layout="constrained")
    plane = picture.subplots()
    sigma = mip.reciprocal_absolute_moment(sizes[0], 2)
    plane.plot(eta, published * sigma, color=BLUE, label="MIP, any n (bound)")
    plane.fill_between(eta, published * sigma, published * np.sqrt(5), color=BLUE, alpha=0.15)
    for n, marker in zip(sizes, "osD^v<>", strict=False):
        noise = np.asarray(mip.laplace_dp_scale(eta, mip.reciprocal_sensitivity(n)))
        plane.plot(
            eta, noise, ":", marker=marker, markevery=28, color=ORANGE, label=f"DP, n = {n} (exact)"
        )
    plane.set(
        yscale="log",
        xlim=(0, 0.5),
        xlabel="eta, the edge over a coin",
        ylabel="Laplace scale of the noise",
    )
    plane.legend(frameon=False, fontsize=9)
    plane.grid(alpha=0.3)
    return picture
