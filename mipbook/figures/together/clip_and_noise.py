"""Pulls that are cut and hidden in noise, the plan of a training run, and what noise costs a model."""

from dataclasses import replace
from typing import Annotated

import numpy as np
from scipy.special import ndtr

import mipbook.figures.kit as k
from explorable import validate
from explorable.tables import Role, read_columns
from mipbook.data import small_digits
from mipbook.dpsgd.clipping import best_sample_clip, sample_clip_error
from mipbook.dpsgd.profile import schedule
from mipbook.stored.trained import (
    BATCHES,
    BUDGETS,
    CLIPS,
    PASSES,
    RECORDS,
    SIGMAS,
    needed,
    plan,
    promised,
    trained,
)

_CLIPS = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.7, 2.0, 2.3, 2.5, 3.0, 3.4, 3.8, 4.2, 4.6, 5.0]
_CAST = tuple(k.PEOPLE)
_ZOE = _CAST.index("Zoe")
# How long each of the ten pulls is, and which way; nobody pulls as hard as Zoe.
_LONG = np.array([3.0, 3.0, 3.7, 3.1, 3.4, 2.9, 4.6, 3.1, 3.6, 6.0])
_WAY = np.radians([24.0, 96.0, 165.0, 130.0, -34.0, 196.0, -4.0, -72.0, 44.0, 66.0])
_PULLS = (_LONG * np.exp(1j * _WAY))[np.argsort(np.argsort(_CAST))]
_TURN = np.exp(2j * np.pi * np.linspace(0, 1, 61))
# How wide the two halves are, as shares of the picture, and how far across the left one goes.
_HALVES, _ACROSS = (0.54, 0.44), (-5.1, 5.3)
_PLANE = {**k.BARE, "constrain": "domain", "fixedrange": True}
_ABOVE = {"mode": "markers+text", "textposition": "top center"}


def _cut(clip):
    """Return the pulls, those beyond the circle cut to its length."""
    return _PULLS * np.minimum(1, clip / np.abs(_PULLS))


def _off(clip, sigma):
    """Return how far the noisy mean is from the true one, in root mean square."""
    return float(np.hypot(abs((_cut(clip) - _PULLS).sum()), sigma * clip * 2**0.5) / 10)


def _lines(start, end):
    """Return lines from point to point, as one."""
    points = np.stack(np.broadcast_arrays(start, end), axis=1)
    return k.gapped(points.real), k.gapped(points.imag)


def _circle(clip):
    """Draw the pulls, cut at the circle, and what is lost of them."""
    cut, ring, others = _cut(clip), clip * _TURN, np.delete(_cut(clip), _ZOE)
    # The handle stands on the circle, where nobody pulls.
    held = np.exp(4j * np.pi / 3) * np.array(_CLIPS)
    return k.part(
        k.curve("cut off", *_lines(cut, _PULLS), k.Look(k.LEVEL.colour, "dot", width=1.5), **k.QUIET),
        k.curve("nine pulls", *_lines(0, others), k.Look(k.LEVEL.colour, width=3.5), **k.QUIET),
        k.curve("Zoe's pull", *_lines(0, cut[[_ZOE]]), k.Look(k.IN.colour, width=7), **k.QUIET),
        k.curve("the clip", ring.real, ring.imag, k.Look(k.READING.colour, "dash"), **k.QUIET),
        k.cast(_PULLS.real, _PULLS.imag, _CAST, size=22),
        x=k.axis("what they pull", **_PLANE, range=[*_ACROSS], scaleanchor="y", domain=[0, _HALVES[0]]),
        y={**_PLANE, "range": [-5.1, 6.6]},
        height=410,
        layout={"margin": {"l": 12, "t": 6, "b": 58}},
        showlegend=False,
        ghost=[],
        grab=k.drag("clip", held.real, held.imag),
    )


def _clouds(clip, sigma):
    """Draw where the noisy mean lands with Zoe and without her, and where it was before the cut."""
    mean, true, disks = _cut(clip).sum() / 10, _PULLS.sum() / 10, []
    without, scale = mean - _cut(clip)[_ZOE] / 10, 0.267 + 0.58 * max(sigma, 1)
    # Where the star stands at the top of the disk, their names go to either side.
    # Within the dashed circle the star has its name beside it, and the circle has a gap there.
    ringed = sigma > 1 and abs(true - mean) < clip / 10
    near = ringed or abs(true - mean - 0.1j * sigma * clip) < 0.5 * scale
    over, beside = ("top left", "middle right") if near else ("top center", "top center")
    sides = ("with Zoe", mean, k.IN, over), ("without her", without, k.OUT, "bottom center")
    for name, middle, look, side in sides:
        ring, area = middle + sigma * clip / 10 * _TURN, {"fill": "toself", "hoverinfo": "skip"}
        disks.append(k.curve(name, ring.real, ring.imag, replace(look, width=2), lower=True, **area))
        edge = ring.imag.max() if look == k.IN else ring.imag.min()
        where = {"textposition": side, "textfont": {"color": look.colour}, "cliponaxis": False}
        disks.append(k.text(f"{name}, named", middle.real, edge, name, lower=True, **where))
    # Where the picture is zoomed out, the circle shows how wide the noise is.
    ring, look = mean + clip / 10 * _TURN, k.Look(k.READING.colour, "dash", width=1.5)
    off = (ring - true) / scale
    ring[near & (off.real > 0.05) & (off.real < 0.75) & (abs(off.imag) < 0.26)] = np.nan
    scaled = {"opacity": float(sigma > 1), "lower": True, **k.QUIET}
    disks.append(k.curve("the clip, as wide", *map(k.gapped, ([ring.real], [ring.imag])), look, **scaled))
    disks.append(k.curve("Zoe's share", *_lines(without, [mean]), k.IN, lower=True, **k.QUIET))
    best = min(_CLIPS, key=lambda other: _off(other, sigma)) == clip
    star = _ABOVE | {"textposition": beside, "size": 24 if best else 15, "cliponaxis": False}
    star["text"] = ["\u2009true<br>\u2009mean" if near else "true mean"]
    # The disks of the largest circle fit, however wide the noise is.
    ends = (0.63 + scale * np.outer([1, 1.38], [-1, 1])).tolist()
    plane = {**_PLANE, "domain": [1 - _HALVES[1], 1], "range": ends[0]}
    larger = np.ptp(_ACROSS) / _HALVES[0] * _HALVES[1] / np.ptp(ends[0])
    title = f"what is published,<br>about {larger:.2g} times as large"
    title += "<br>dashed: the circle / 10" * (sigma > 1)
    return k.part(
        disks,
        k.points("the true mean", true.real, true.imag, k.READING.with_symbol("star"), lower=True, **star),
        x2=k.axis(title, **plane, scaleanchor="y2", anchor="y2"),
        y2={**_PLANE, "range": ends[1], "anchor": "x2"},
        headline="right {right}, off by {off}",
        sentence=f"{'The best circle: no other of this slider misses by less. ' * best}"
        "With everybody in one step, a spy is right {right} about Zoe. "
        "What is published misses the true mean by {off} in root mean square, in the unit of C (both exact).",
        alt="Left, ten pulls as lines from one point, cut at a circle of {clip}. Right, two disks as "
        f"wide as the noise, with Zoe and without her{', and, dashed, the circle over ten' * (sigma > 1)}; "
        "a star, the true mean, is {bias} from the first.",
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


def _sheet():
    """Draw a hundred digits, in rows of ten."""
    picture = {"type": "heatmap", "name": "digits", "z": _hundred()[0], "zmin": 0, "zmax": 16, **k.QUIET}
    picture |= {"colorscale": [[0.0, k.fill(k.GREY)], [1.0, k.INK]], "showscale": False}
    return k.part(
        picture,
        # Beside the sheet there is room for a mark and its words.
        x={"visible": False, "range": [-0.5, 146], "constrain": "domain", "fixedrange": True},
        y={"visible": False, "range": [99.5, -0.5], "scaleanchor": "x", "constrain": "domain"},
        height=420,
        ghost=[],
    )


def _learned(clip, sigma):
    if sigma not in SIGMAS:
        validate.refuse("sigma", sigma, f"one of {', '.join(f'{each:g}' for each in SIGMAS)}")
    found, place = trained("softmax", clip), SIGMAS.index(sigma)
    missed = 100 - 100 * float(found.accuracy[place])
    x, y = np.nonzero((_hundred()[1] < round(missed)).reshape(10, 10).T)
    promise = "Without noise nothing is promised"
    if sigma:
        told = {"sigma": sigma, "epsilon": k.at_most(promised(sigma).epsilon)}
        promise = k.told("Noise of {sigma} promises ε ≤ {epsilon} at δ = 10⁻⁵", **told)
    return k.part(
        k.points("misread", 10 * x + 4.5, 10 * y + 4.5, k.OUT.with_symbol("x-thin-open"), size=26, **k.QUIET),
        headline="about {missed} of 100 misread",
        sentence="{promise}. Of 100 new digits the model misreads {missed}, as many as there are crosses "
        "(estimate, ±\u00a0{half}), and {plain} without noise.",
        alt="A hundred new digits; as many of the oddest are crossed out as are misread with clip {clip} at "
        "your noise: {missed} of 100, and {plain} without noise.",
        promise=promise,
        clip=clip,
        **k.words(k.about, ".0f", missed=missed, plain=100 - 100 * float(found.accuracy[0])),
        half=k.about(100 * float(found.half_width[place]), ".1f"),
    )


@k.figure
def trained_accuracy(
    clip: Annotated[float, k.Choice(CLIPS, 1.0, label="Clip, C")] = 1.0,
    sigma: Annotated[float, k.Stops(SIGMAS, 2.0, label="Noise, σ", play=True)] = 2.0,
):
    """Draw a hundred new digits, and cross out as many of the oddest as softmax regression misreads.

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


_NORMS = ("a heavy tail", "nearly equal", "two lengths")
_KNOWN = ("norm", "norms", "gradient_norm", "grad_norm")
_ROLES = (Role("norm", "Gradient norms", "is the norm", "holds the norms", known=_KNOWN),)
# The noises along which the diamond is dragged.
_NOISES = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.5, 5.0, 8.0, 12.0, 22.0]
_SHARES = np.geomspace(0.01, 1.2, 41)
_ERROR = "in all (exact)"
_plan, _needed = k.cache(plan), k.cache(needed)


@k.few
def _read(norms):
    """Return the norms, and what was read of an own file."""
    if isinstance(norms, k.UploadedFile):
        found = read_columns(norms.text, _ROLES, norms.columns)
        found.check_records(2, 100_000)
        values = found.numbers("norm")[:, 0]
        if values.min() < 0 or values.max() <= 0:
            validate.refuse("norms", norms.name, "a file with a column of norms, none negative")
        return values, found.say()
    rng = np.random.default_rng(29)
    made = (rng.pareto(2.5, 2000) + 1.0, rng.gamma(50.0, 0.02, 2000), np.repeat([1.0, 10.0], [1800, 200]))
    return made[_NORMS.index(validate.choice("norms", norms, _NORMS))], ""


def _axes():
    shares = {"tickvals": [0.01, 0.1, 1], "ticktext": ["1%", "10%", "100%"]}
    noises = {"tickvals": [0.5, 1, 2, 5, 10, 20], "ticktext": ["0.5", "1", "2", "5", "10", "20"]}
    return k.part(
        x=k.axis("noise σ, in clips", log=True, range=[-0.6, 1.4], showgrid=False, **noises),
        y=k.unseen(-1.0, 1.9),
        x2=k.axis("clip, of the longest norm", log=True, range=[-2.02, 0.1], **shares),
        y2=k.axis("error / mean norm", log=True, range=[-3.4, 0.3]) | shares,
        rows=(0.36, 0.22),
        height=500,
        ghost=[_ERROR],
        grab=k.drag("sigma", _NOISES, 0),
        probe=[_ERROR],
        headline="ε ≤ {high}; clip at {best}",
        sentence="{steps} steps with noise of {sigma} clips cost ε between {low} and {high} at δ = 10⁻⁵. "
        "For ε = {budget} noise of {needs} is enough (bounds). The best clip cuts {cut} of the {many} norms "
        "(exact for gradients that point one way).",
        alt="Above, the noises: from {needs} on they keep your budget of {budget}; your own lies at {sigma}. "
        "Below, the error of a step over the clip, least at the best clip, {best}.",
    )


def _left(norms, n, batch, sigma):
    """Return the error over the clip for the reader's norms, and the best clip."""
    values, read = _read(norms)
    sampling, longest, mean = schedule(n, batch, 1)[0], float(values.max()), float(values.mean())
    best = best_sample_clip(n, sigma, values, sampling)
    clips = (*(_SHARES * longest), best)
    *found, least = (sample_clip_error(clip, n, sigma, values, sampling) for clip in clips)
    bias = [max(float(f"{abs(f.bias) / mean:.4g}"), 1e-9) for f in found]
    rmse = [float(f"{f.rmse / mean:.4g}") for f in found]
    noise, star = [f.noise / mean for f in (found[0], found[-1])], k.READING.with_symbol("star")
    # It grows with the clip; where it is so small that it would cross the norms, it is not drawn.
    begun = max(noise[0], min(1.2e-3, noise[1]))
    since = _SHARES[-1] * np.array([begun / noise[1], 1])
    drawn = [float(f"{f.spread / mean:.4g}") for f in found]
    share = k.exact(best / longest, lambda value: f"{value:.0%}")
    far = best > longest / 2  # then what is cut off falls beside the star
    rest = "\u2002\u2002" if far else " of the longest"
    named = _ABOVE | {
        "text": [k.told(f"{'<br>' * far}<b>{{best}}</b>, {{share}}{rest}", best=best, share=share)],
        "textposition": "bottom left" if far else "top center",
        "showlegend": False,
        "lower": True,
    }
    said = "at %{x:.3g} of the longest: off by %{y:.3g}"
    # Along the bottom every so many of the norms, those that the best clip cuts as squares: few, then all.
    some, dot = np.quantile(values, np.linspace(0, 1, 121)), {"size": 6, "lower": True, "hoverinfo": "skip"}
    if (beyond := np.sort(values[values > best])).size <= 24:
        some = np.append(some[some <= best], beyond)
    low, kept = 10 ** (0.13 * k.strewn(some.size) - 3.2), some <= best
    return k.part(
        k.points("norms", some[kept] / longest, low[kept], k.LEVEL, showlegend=False, **dot),
        k.points("cut off", some[~kept] / longest, low[~kept], k.OUT, showlegend=False, **dot),
        k.text("the norms, named", 0.0105, 10**-3.2, "norms", textposition="middle right", lower=True),
        k.curve("by what is cut off (exact)", _SHARES, bias, k.OUT, lower=True, hoverinfo="skip"),
        k.curve("by noise (exact)", since, [begun, noise[1]], k.SERIES[2], lower=True, hoverinfo="skip"),
        k.curve("by who is drawn (exact)", _SHARES, drawn, k.LEVEL, lower=True, hoverinfo="skip"),
        k.curve(_ERROR, _SHARES, rmse, k.BEST, lower=True, hover=said),
        k.points("the best clip (exact)", best / longest, least.rmse / mean, star, size=18, **named),
        read=read,
        best=best,
        cut=k.exact(float((values > best).mean()), k.percent),
        many=values.size,
    )


def _budget(n, batch, passes, epsilon):
    """Draw the noises that keep the budget."""
    noise, name = _needed(n, batch, passes, epsilon), "noise that keeps your budget (bound)"
    ends = np.array([noise, max(noise, 25.0)])
    keeps = [
        k.area("enough noise", ends[[0, 1, 1, 0, 0]], [-0.7, -0.7, 0.7, 0.7, -0.7], k.DP),
        k.level(name, noise, [-0.7, 0.7], k.DP.bound(), showlegend=False),
    ]
    said = k.text("enough", 24.0, 0, f"enough for ε = {k.say(epsilon)}", textposition="middle left")
    return k.part(keeps, said, budget=epsilon, needs=k.at_most(noise, digits=4))


def _own(n, batch, passes, sigma):
    """Mark the reader's noise, and say what it costs."""
    low, high = _plan(n, batch, passes, sigma)
    text = f"your noise: <b>ε ≤ {k.at_most(high)}</b>"
    return k.part(
        k.points("your noise", sigma, 0, k.READING.with_symbol("circle"), size=18, showlegend=False),
        k.text("what it costs", sigma, 1.3, text),
        **k.words(low=k.at_least(low), high=k.at_most(high)),
        **k.words(steps=schedule(n, batch, passes)[1], sigma=sigma),
    )


@k.figure
def clip_lab(
    norms: Annotated[str | k.UploadedFile, k.File(_NORMS, roles=_ROLES, label="Norms")] = "a heavy tail",
    n: Annotated[int, k.Count(list(RECORDS), 60_000, label="Records, n").safe("down")] = 60_000,
    batch: Annotated[int, k.Count(list(BATCHES), 500, label="Batch").safe("up")] = 500,
    passes: Annotated[int, k.Count(list(PASSES), 10, label="Passes").safe("up")] = 10,
    sigma: Annotated[float, k.Stops(_NOISES, 1.1, label="Noise, σ").safe("down")] = 1.1,
    epsilon: Annotated[float, k.Stops(list(BUDGETS), 3.0, label="Wanted, ε").safe("down")] = 3.0,
):
    """Plan a training run: where to clip, what it costs, and the noise that a budget needs.

    Notes
    -----
    `mipbook.dpsgd.certified_epsilon`, stored at the stops of the page, and
    `mipbook.dpsgd.best_sample_clip`.

    Examples
    --------
    >>> clip_lab("two lengths").layout.meta["headline"]
    'ε ≤ 1.37; clip at 9.8'
    """
    return _axes, _left, _budget, _own
