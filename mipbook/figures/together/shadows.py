"""Five people, and lines that accuse them; and what LiRA reaches with few shadow models."""

from typing import Annotated

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2

import mipbook.figures.kit as k
from mipbook.mis.mean_attacks import mean_attack_tpr
from mipbook.stored.trained import DIMENSIONS, FPRS, MODELS, few_shadows

_N, _D = 10, 20
_ACCUSED = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50]
_CAST = [*list(k.PEOPLE)[:8:2], "Zoe"]
_ROWS = np.arange(len(_CAST))
# How plain each of the five is: the fifths of the squared length of a normal person.
_SQUARED = chi2(_D).ppf((_ROWS + 0.5) / len(_ROWS))
_OUT = ncx2(_D, _N * _SQUARED, scale=1 / _N)
_IN = ncx2(_D, (_N - 1) * _SQUARED, scale=(_N - 1) / _N**2)
_AXIS = np.linspace(3, 46, 87)
_SIDES = (("models with them", _IN, k.IN), ("models without", _OUT, k.OUT))
_LINES = ("one for all", "one for each")
# The hills of a person fill their row, and do not reach into the next.
_TALL = 0.84 / np.max([law.pdf(_AXIS[:, None]).max(axis=0) for law in (_IN, _OUT)], axis=0)


def _rows(values):
    """Return the columns one after another, with a gap behind each."""
    closed = np.vstack([values, np.full(len(_ROWS), np.nan)])
    return [None if np.isnan(each) else float(each) for each in closed.T.ravel()]


@k.cache
def _line(accused, lines):
    """Return where the lines stand that accuse so many of 100 wrongly, on average over the five."""
    share = accused / 100
    if lines == _LINES[1]:
        return _OUT.ppf(share)
    return np.full(len(_ROWS), brentq(lambda line: _OUT.cdf(line).mean() - share, 3, 46))


def _people():
    traces = []
    for name, law, look in _SIDES:
        high = law.pdf(_AXIS[:, None])
        x, y = np.where(high > 0.002, (_AXIS[:, None] + 0 * high, _ROWS + _TALL * high), np.nan)
        traces.append(k.curve(name, _rows(x), _rows(y), look, hoverinfo="skip"))
    return k.part(
        traces,
        k.cast(np.full(len(_ROWS), 1.5), _ROWS + 0.3, _CAST, size=24, showlegend=False),
        x=k.axis("how the model fits: ← well, badly →", range=[0, 46], showticklabels=False, ticks=""),
        y={"visible": False, "range": [-0.1, 5.2]},
        x2=k.axis("accused, of 100", range=[-2, 102], showgrid=False),
        y2={"visible": False, "range": [-0.7, 2.9]},
        rows=(0.72, 0.1),
        height=480,
        layout={"margin": {"l": 12}},
        ghost=[],
    )


def _left_of(at, law, name, look):
    """Fill each hill as far as its line."""
    x = np.linspace(np.maximum(_AXIS[0], law.ppf(1e-4)), at, 24)
    y = _ROWS + _TALL * np.where(law.pdf(x) > 0.002, law.pdf(x), 0)
    ends = np.array([at, np.minimum(x[0], at)])
    area = {"fill": "toself", "fillcolor": look.colour, "line": {"width": 0}, "opacity": 0.45}
    sides = (_rows(np.vstack(side)) for side in ((x, ends), (y, [_ROWS, _ROWS])))
    return k.curve(name, *sides, look, hoverinfo="skip", showlegend=False) | area


def _accusing(accused, lines):
    at = _line(accused, lines)
    found = 100 * float(_IN.cdf(at).mean())
    stops = [_line(each, lines)[-1] for each in _ACCUSED]
    common = _line(accused, _LINES[0])[0]
    return k.part(
        _left_of(at, _IN, "members found", k.IN),
        _left_of(at, _OUT, "others accused", k.OUT),
        k.level("one line for all", common, [-0.1, 5.05], showlegend=lines == _LINES[1]),
        k.curve("accused to the left", _rows(np.array([at, at])), _rows(np.array([_ROWS, _ROWS + 0.9])),
                k.Look(k.READING.colour, width=4), hoverinfo="skip"),
        k.level("the scale", [0, 100], 0, lower=True, showlegend=False),
        k.points("one line finds", 100 * float(_IN.cdf(common).mean()), 0, k.IN.with_symbol("circle-open"),
                 size=15, lower=True, mode="markers+text", text=["one line"], textposition="top center",
                 showlegend=False),
        k.points("wrongly accused", accused, 0, k.OUT.with_symbol("x"), size=13, lower=True),
        k.points("found", found, 0, k.IN, size=15, lower=True),
        grab=k.drag("accused", stops, [4.95] * len(stops)),
        headline="{found} of 100 found",
        sentence="Accuse {accused} of 100 innocents, and you find {found} of 100 members (exact, on average "
        "over the five).",
        alt="Five rows, a person each, from plain to odd: two hills of how badly models fit, with the person "
        f"left of without. A line, {lines}, accuses what is left of it. Below, a scale: {{accused}} wrongly "
        "accused, {found} found.",
        found=found,
        accused=accused,
    )  # fmt: skip


@k.figure
def own_lines(
    accused: Annotated[int, k.Count(_ACCUSED, 10, label="Wrongly accused, of 100", play=True)] = 10,
    lines: Annotated[str, k.Choice(_LINES, label="The line")] = "one for each",
):
    """Draw how badly models fit five people, with them and without, and whom lines accuse.

    Notes
    -----
    The mean of ten people of twenty normal numbers; the squared distance of each from it is a
    non-central chi square (``scipy.stats.ncx2``).

    Examples
    --------
    >>> [own_lines(10, lines).layout.meta["headline"] for lines in ("one for all", "one for each")]
    ['25.9 of 100 found', '56.2 of 100 found']
    """
    return _people, _accusing


_POOLED, _EACH = "online, pooled", "online, each"
_SIMULATED = {_POOLED: ("online, one spread", k.SERIES[1]), _EACH: ("online, a spread each", k.SERIES[3])}


@k.cache
def _exact(d, fpr):
    """Return the TPR of the best attack, and of LiRA with each number of out models."""
    out = [float(mean_attack_tpr(fpr, _N, d, attack="offline", shadows=models)) for models in MODELS]
    return float(mean_attack_tpr(fpr, _N, d)), out


def _by_count(d, fpr):
    """Draw what each kind of LiRA finds against the number of shadow models."""
    over = {"hover": "with %{x} shadow models it finds %{y:.2%}"}
    best, out = _exact(d, fpr)
    names, traces = ["offline, one spread (exact)"], []
    for attack, (name, look) in _SIMULATED.items():
        tpr, low, high = (ends.round(6) for ends in few_shadows(d, attack, fpr))
        area = {"showlegend": False, "legendgroup": name}
        traces.append(k.band(f"95% band of {name}", MODELS, low, high, look, **area))
        traces.append(k.curve(f"{name} (estimate)", MODELS, tpr, look, **over))
        names.append(f"{name} (estimate)")
    counts = {"tickvals": [4, 8, 16, 32, 64, 128, 256, 512], "range": [0.55, 2.76], "dtick": None}
    return k.part(
        k.level("best attack (exact)", [4, 512], best, k.BEST),
        k.curve(names[0], MODELS, np.round(out, 6), k.SERIES[2], **over),
        traces,
        x=k.axis("shadow models in all", log=True, **counts),
        y=k.axis("members found", range=[0, best * 1.1], tickformat=".1~%"),
        height=430,
        grab=k.drag("models", MODELS, np.round(out, 6)),
        probe=names,
        ghost=[],
    )


def _at_count(models, d, fpr):
    place = MODELS.index(models)
    best, every = _exact(d, fpr)
    exact = every[place]
    (pooled, *pooled_band), (each, *_) = (
        [float(ends[place]) for ends in few_shadows(d, attack, fpr)] for attack in (_POOLED, _EACH)
    )
    exact_rates = {"exact": exact, "best": best, "most": max(exact, pooled)}
    estimates = dict(zip(("pooled", "low", "high"), (pooled, *pooled_band), strict=True)) | {"each": each}
    return k.part(
        k.reading([models] * 3, [exact, pooled, each], "at your number of models"),
        headline="{most} found",
        sentence="{models} models without the person (offline) find {exact} (exact). Half with them "
        "(online): one spread {pooled} ({low} to {high}), a spread each {each}. The best attack: {best}.",
        alt="Members found against the number of shadow models, from 4 to 512: curves that rise towards the "
        "line of the best attack at {best}, those with one spread for all records early, those with a "
        "spread for each record late. At {models} models: {exact}, {pooled} and {each}.",
        models=models,
        **k.words(k.exact, k.percent, **exact_rates),
        **k.words(k.about, k.percent, **estimates),
    )


@k.figure
def shadow_count(
    models: Annotated[int, k.Choice(MODELS, 16, label="Shadow models")] = 16,
    d: Annotated[int, k.Choice(DIMENSIONS, 20, label="Coordinates, d")] = 20,
    fpr: Annotated[
        float, k.Choice({k.percent(rate): rate for rate in FPRS}, 0.01, label="Others accused")
    ] = 0.01,
):
    """Draw what LiRA finds with a number of shadow models, on the mean of ten records.

    Notes
    -----
    Out models with a known variance are exact (`mipbook.mis.mean_attack_tpr`); the others
    are 100,000 members and as many others of `mipbook.mis.few_shadow_scores`, stored.

    Examples
    --------
    >>> "(exact)" in shadow_count(16, 20, 0.01).layout.meta["sentence"]
    True
    """
    return _by_count, _at_count
