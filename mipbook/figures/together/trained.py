"""Networks trained with clip and noise on digits: how well they read."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.stored.trained import CLIPS, SIGMAS, promised, trained

# Where no promise is drawn: epsilon is infinite.
_NO_PROMISE = 300.0
_NETWORKS = {"softmax regression": "softmax", "32 hidden units": "64-32-10"}
_READ = "test accuracy (estimate)"
# A hundred digits, in rows of ten, and the order in which they are read wrongly.
_DIGITS = np.random.default_rng(10).integers(10, size=100)
_HARD = np.random.default_rng(11).permutation(100)


def _epsilon_at(sigmas):
    """Return where noises stand on the axis of epsilon."""
    return np.array([min(promised(sigma).epsilon, _NO_PROMISE) for sigma in sigmas])


def _promise(sigma):
    """Say what a noise promises."""
    if not sigma:
        return "Without noise nothing is promised"
    return k.told(
        "Noise of {sigma} promises ε = {epsilon} at δ = 10⁻⁵ (exact)",
        sigma=sigma,
        epsilon=k.at_most(promised(sigma).epsilon),
    )


def _epsilon_axis():
    """Return the axis of epsilon, which ends where nothing is promised."""
    ticks = [0.5, 1, 2, 5, 10, 20, 50, 100, _NO_PROMISE]
    words = {"tickvals": ticks, "ticktext": [*(f"{tick:g}" for tick in ticks[:-1]), "∞"]}
    spread = [math.log10(0.42), math.log10(_NO_PROMISE) + 0.06]
    return k.axis("ε at δ = 10⁻⁵, for all steps", type="log", range=spread, **words)


def _learning(network, clip):
    """Draw the accuracy against epsilon, for one clip."""
    found, x = trained(_NETWORKS[network], clip), _epsilon_at(SIGMAS)
    low, high = (found.accuracy + sign * found.half_width for sign in (-1, 1))
    noisy, read = x[1:], found.accuracy.round(4)
    over = {"customdata": SIGMAS[1:], "hover": "noise %{customdata:.1f}, ε = %{x:.2f}: %{y:.1%} read right"}
    return k.part(
        k.level("without noise", [0.42, _NO_PROMISE], found.accuracy[0]),
        k.band("95% band", noisy, low[1:].round(4), high[1:].round(4), k.DP),
        k.curve(_READ, noisy.round(4), read[1:], k.Look(k.DP.colour, "dot", "circle"), **over),
        x=_epsilon_axis(),
        y=k.axis("new digits read right", range=[0, 1.02], tickformat=".0%"),
        x2=k.axis("a hundred new digits, misread: ✕", **k.BARE, range=[-0.7, 9.7], constrain="domain"),
        y2={"visible": False, "range": [-9.7, 0.7], "scaleanchor": "x2", "constrain": "domain"},
        rows=(0.4, 0.18),
        beside=0.6,
        height=430,
        grab=k.drag("sigma", x.round(4), read),
        probe=[_READ],
        ghost=[_READ],
    )


def _learned(network, clip, sigma):
    found, place = trained(_NETWORKS[network], clip), SIGMAS.index(sigma)
    right = float(found.accuracy[place])
    good, x, y = round(100 * right) > _HARD, np.arange(100) % 10, -(np.arange(100) // 10)
    ink, wrong = ({"textfont": {"color": colour, "size": 11}, **k.LOWER} for colour in (k.INK, k.ORANGE))
    who = "Softmax regression" if network == "softmax regression" else "The network"
    return k.part(
        k.reading(_epsilon_at([sigma]), [right], "at your noise"),
        k.text("read right", x[good], y[good], [str(digit) for digit in _DIGITS[good]], **ink),
        k.text("misread", x[~good], y[~good], ["<b>✕</b>"] * int((~good).sum()), **wrong),
        headline="{right} read right, {price}",
        sentence=f"{{promise}}. {who} reads {{right}} of new digits right (estimate, ± {{half}}), and "
        "{plain} without noise.",
        alt="The share of new digits read right against ε, from about 0.5 to 100 and to no promise, with "
        "clip {clip}: it rises to {plain}. At your noise it is {right}. Beside it a hundred "
        "digits, the misread ones crossed out.",
        promise=_promise(sigma),
        price=k.told("ε = {epsilon}", epsilon=k.at_most(promised(sigma).epsilon))
        if sigma
        else "nothing promised",
        clip=clip,
        right=k.about(right, k.percent),
        half=k.about(float(found.half_width[place]), k.percent, 2),
        plain=k.about(float(found.accuracy[0]), k.percent),
    )


@k.figure
def trained_accuracy(
    clip: Annotated[float, k.Choice(CLIPS, 1.0, label="Clip, C")] = 1.0,
    sigma: Annotated[float, k.Choice(SIGMAS, 2.0, label="Noise, σ")] = 2.0,
    network: Annotated[str, k.Choice(list(_NETWORKS), label="Trained")] = "softmax regression",
):
    """Draw the test accuracy on digits of two networks against epsilon, with its band.

    Notes
    -----
    ``mipbook.stored.trained``: 898 digits to train, 300 steps on a tenth of them each, six splits.
    Epsilon is that of `mipbook.dpsgd.training_epsilon`; it does not depend on the clip.

    Examples
    --------
    >>> "read right" in trained_accuracy(1.0, 2.0).layout.meta["headline"]
    True
    """
    return _learning, _learned
