"""Networks trained with clip and noise on digits: how well they read."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable import validate
from mipbook.stored.trained import CLIPS, SIGMAS, promised, trained

_NETWORKS = {"softmax regression": "softmax", "32 hidden units": "64-32-10"}
# A hundred digits, in rows of ten, and the order in which they are read wrongly.
_DIGITS = np.random.default_rng(10).integers(10, size=100)
_HARD = np.random.default_rng(11).permutation(100)


def _promise(sigma):
    """Say what a noise promises."""
    if not sigma:
        return "Without noise nothing is promised"
    return k.told(
        "Noise of {sigma} promises ε = {epsilon} at δ = 10⁻⁵ (exact)",
        sigma=sigma,
        epsilon=k.at_most(promised(sigma).epsilon),
    )


def _sheet():
    """Draw the page that a hundred digits stand on."""
    return k.part(
        x={"visible": False, "range": [-0.7, 9.7], "constrain": "domain"},
        y={"visible": False, "range": [-9.7, 0.7], "scaleanchor": "x", "constrain": "domain"},
        height=400,
        ghost=[],
    )


def _learned(network, clip, sigma):
    if sigma not in SIGMAS:
        validate.refuse("sigma", sigma, f"one of {', '.join(f'{each:g}' for each in SIGMAS)}")
    found, place = trained(_NETWORKS[network], clip), SIGMAS.index(sigma)
    right = float(found.accuracy[place])
    good, x, y = round(100 * right) > _HARD, np.arange(100) % 10, -(np.arange(100) // 10)
    ink, wrong = (
        {"textfont": {"color": colour, "size": size}} for colour, size in ((k.INK, 18), (k.ORANGE, 22))
    )
    who = "Softmax regression" if network == "softmax regression" else "The network"
    return k.part(
        k.text("read right", x[good], y[good], [str(digit) for digit in _DIGITS[good]], **ink),
        k.text("misread", x[~good], y[~good], ["<b>✕</b>"] * int((~good).sum()), **wrong),
        headline="{right} read right, {price}",
        sentence=f"{{promise}}. {who} reads {{right}} of new digits right (estimate, ± {{half}}), and "
        "{plain} without noise.",
        alt="A hundred new digits; those misread with clip {clip} at your noise are crossed out. {right} are "
        "read right, and {plain} without noise.",
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
    sigma: Annotated[float, k.Stops(SIGMAS, 2.0, label="Noise, σ", play=True)] = 2.0,
    network: Annotated[str, k.Choice(list(_NETWORKS), label="Trained")] = "softmax regression",
):
    """Draw a hundred new digits, and cross out those that a trained network misreads.

    Notes
    -----
    ``mipbook.stored.trained``: 898 digits to train, 300 steps on a tenth of them each, six splits.
    Epsilon is that of `mipbook.dpsgd.training_epsilon`; it does not depend on the clip.

    Examples
    --------
    >>> "read right" in trained_accuracy(1.0, 2.0).layout.meta["headline"]
    True
    """
    return _sheet, _learned
