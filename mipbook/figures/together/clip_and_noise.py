"""Ten pulls that are cut at a circle and hidden in noise."""

from dataclasses import replace
from typing import Annotated

import numpy as np
from scipy.special import ndtr

import mipbook.figures.kit as k

_CLIPS = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.7, 2.0, 2.3, 2.6, 3.0, 3.4, 3.8, 4.2, 4.6, 5.0]
_CAST = tuple(k.PEOPLE)
_ZOE = _CAST.index("Zoe")
# How long each of the ten pulls is, and which way; nobody pulls as hard as Zoe.
_LONG = np.array([3.0, 3.0, 3.7, 3.1, 3.4, 2.9, 4.6, 3.1, 3.6, 6.0])
_WAY = np.radians([24.0, 96.0, 165.0, 130.0, -34.0, 196.0, -4.0, -72.0, 44.0, 66.0])
_PULLS = (_LONG * np.exp(1j * _WAY))[np.argsort(np.argsort(_CAST))]
_TURN = np.exp(2j * np.pi * np.linspace(0, 1, 61))
# The handle stands on the circle, where nobody pulls.
_HELD = np.exp(4j * np.pi / 3) * np.array(_CLIPS)
_PLANE = {**k.BARE, "constrain": "domain", "fixedrange": True}
_SIDES = tuple(replace(look, width=2) for look in (k.IN, k.OUT))
# One scale for all noises: the loudest disks reach beyond it.
_SEEN = [-0.65, 1.45]


def _cut(clip):
    """Return the pulls, those beyond the circle cut to its length."""
    return _PULLS * np.minimum(1, clip / np.abs(_PULLS))


def _off(clip, sigma):
    """Return how far the noisy mean is from the true one, in root mean square."""
    return float(np.hypot(abs((_cut(clip) - _PULLS).sum()), sigma * clip * 2**0.5) / 10)


def _lines(start, end):
    """Return lines from point to point, as one."""
    start, end = np.broadcast_arrays(start, end)
    points = np.stack([start, end, end], axis=1).ravel()
    shown = np.arange(points.size) % 3 < 2
    return k.kept(points.real, shown), k.kept(points.imag, shown)


def _circle(clip):
    """Draw the pulls, cut at the circle, and what is lost of them."""
    cut, ring = _cut(clip), clip * _TURN
    others = np.delete(cut, _ZOE)
    return k.part(
        k.curve("cut off", *_lines(cut, _PULLS), k.Look(k.LEVEL.colour, "dot", width=1.5), **k.QUIET),
        k.curve("nine pulls", *_lines(0, others), k.Look(k.LEVEL.colour, width=3.5), **k.QUIET),
        k.curve("Zoe's pull", *_lines(0, cut[[_ZOE]]), k.Look(k.IN.colour, width=7), **k.QUIET),
        k.cast(_PULLS.real, _PULLS.imag, _CAST, size=20, showlegend=False),
        k.curve("the clip", ring.real, ring.imag, k.Look(k.READING.colour, "dash"), **k.QUIET),
        x=k.axis("what they pull", **_PLANE, range=[-5.1, 5.3], scaleanchor="y", domain=[0, 0.5]),
        y={**_PLANE, "range": [-5.1, 6.3], "constraintoward": "bottom"},
        x2=k.axis(
            "what is published", **_PLANE, range=_SEEN, scaleanchor="y2", domain=[0.52, 1], anchor="y2"
        ),
        y2={**_PLANE, "range": _SEEN, "constraintoward": "bottom", "anchor": "x2"},
        height=400,
        layout={"margin": {"l": 12}},
        ghost=[],
        grab=k.drag("clip", _HELD.real, _HELD.imag),
    )


def _clouds(clip, sigma):
    """Draw where the noisy mean lands with Zoe and without her, and where it was before the cut."""
    mean, noise, true = _cut(clip).sum() / 10, sigma * clip / 10, _PULLS.sum() / 10
    middles = np.array([mean, mean - _cut(clip)[_ZOE] / 10])
    disks = []
    for name, middle, look in zip(("with Zoe", "without her"), middles, _SIDES, strict=True):
        ring, area = middle + noise * _TURN, {"fill": "toself", "fillcolor": k.fill(look.colour)}
        disks.append(k.curve(name, ring.real, ring.imag, look, lower=True, hoverinfo="skip", **area))
    best = min(_CLIPS, key=lambda other: _off(other, sigma)) == clip
    return k.part(
        disks,
        k.points("the true mean", true.real, true.imag, k.READING.with_symbol("star"), size=18, lower=True),
        headline="right {right}, off by {off}",
        sentence="With everybody in one step, a spy is right {right} about Zoe. "
        "What is published misses the true mean by {off} in root mean square (both exact)."
        + " No other circle of this slider misses by less."
        * best,
        alt="Left, ten pulls as lines from one point, cut at a circle of {clip}. Right, two disks as "
        "wide as the noise, with Zoe and without her; a star, the true mean, is {bias} from the first.",
        right=k.exact(float(ndtr(0.5 / sigma)), k.in_100),
        clip=clip,
        bias=float(abs(mean - true)),
        off=_off(clip, sigma),
    )


@k.figure
def clipped_pulls(
    clip: Annotated[float, k.Stops(_CLIPS, label="Clip, C", play=True)] = 2.0,
    sigma: Annotated[float, k.Choice([0.5, 1.0, 2.0, 4.0], label="Noise, σ")] = 1.0,
):
    """Draw ten pulls cut at a circle, and where their noisy mean lands with Zoe and without her.

    Notes
    -----
    This book, Theorem 4.1 with one step and a sampling rate of 1; the divisor is 10.

    Examples
    --------
    >>> clipped_pulls(1.0).layout.meta["headline"]
    'right 69.1 times in 100, off by 0.959'
    """
    return _circle, _clouds
