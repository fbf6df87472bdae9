"""Softmax regression trained with clip and noise on digits: how well it reads."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable import validate
from mipbook.data import small_digits
from mipbook.stored.trained import CLIPS, SIGMAS, promised, trained


@k.few
def _hundred():
    """Return a hundred handwritten digits as one picture, and how odd each is among its kind."""
    images, labels = small_digits()
    means = np.stack([images[labels == digit].mean(axis=0) for digit in range(10)])
    far = np.linalg.norm(images[:100, None] - means, axis=2)
    own = np.eye(10, dtype=bool)[labels[:100]]
    odd = far[own] - np.where(own, np.inf, far).min(axis=1)
    page = np.pad(16 * images[:100].reshape(10, 10, 8, 8), ((0, 0), (0, 0), (1, 1), (1, 1)))
    return page.swapaxes(1, 2).reshape(100, 100).astype(int), (-odd).argsort().argsort()


def _promise(sigma):
    """Say what a noise promises."""
    if not sigma:
        return "Without noise nothing is promised"
    return k.told(
        "Noise of {sigma} promises ε ≤ {epsilon} at δ = 10⁻⁵",
        sigma=sigma,
        epsilon=k.at_most(promised(sigma).epsilon),
    )


def _sheet():
    """Draw a hundred digits, in rows of ten."""
    picture = {"type": "heatmap", "name": "digits", "z": _hundred()[0], "zmin": 0, "zmax": 16}
    picture |= {"colorscale": [[0.0, k.fill(k.GREY)], [1.0, k.INK]], "showscale": False}
    return k.part(
        picture | k.QUIET,
        x={"visible": False, "range": [-0.5, 99.5], "constrain": "domain", "fixedrange": True},
        y={"visible": False, "range": [99.5, -0.5], "scaleanchor": "x", "constrain": "domain"},
        height=420,
        ghost=[],
    )


def _learned(clip, sigma):
    if sigma not in SIGMAS:
        validate.refuse("sigma", sigma, f"one of {', '.join(f'{each:g}' for each in SIGMAS)}")
    found, place = trained("softmax", clip), SIGMAS.index(sigma)
    right = float(found.accuracy[place])
    missed = _hundred()[1] < 100 - round(100 * right)
    x, y = np.nonzero(missed.reshape(10, 10).T)
    return k.part(
        k.points("misread", 10 * x + 4.5, 10 * y + 4.5, k.OUT.with_symbol("x-thin-open"), size=26, **k.QUIET),
        headline="about {missed} of 100 misread",
        sentence="{promise}. Of 100 new digits the model misreads {missed} (estimate, ± {half}), and "
        "{plain} without noise.",
        alt="A hundred new digits; those misread with clip {clip} at your noise are crossed out: {missed} "
        "of 100, and {plain} without noise.",
        promise=_promise(sigma),
        clip=clip,
        missed=k.about(100 - 100 * right, ".0f"),
        half=k.about(100 * float(found.half_width[place]), ".1f"),
        plain=k.about(100 - 100 * float(found.accuracy[0]), ".0f"),
    )


@k.figure
def trained_accuracy(
    clip: Annotated[float, k.Choice(CLIPS, 1.0, label="Clip, C")] = 1.0,
    sigma: Annotated[float, k.Stops(SIGMAS, 2.0, label="Noise, σ", play=True)] = 2.0,
):
    """Draw a hundred new digits, and cross out those that softmax regression misreads.

    Notes
    -----
    ``mipbook.stored.trained``: 898 digits to train, 300 steps on a tenth of them each, six splits.
    Epsilon is that of `mipbook.dpsgd.training_epsilon`; it does not depend on the clip.

    Examples
    --------
    >>> trained_accuracy(1.0, 2.0).layout.meta["headline"]
    'about 10 of 100 misread'
    """
    return _sheet, _learned
