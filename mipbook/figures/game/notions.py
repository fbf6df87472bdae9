"""One release, four notions: what each says of the same noisy mean."""

from typing import Annotated, NamedTuple

import numpy as np
from scipy.special import expit

import mipbook.figures.kit as k
from explorable.checked import Number, checked
from mipbook import mip, mis, pmp, tradeoff
from mipbook.base.types import Array
from mipbook.mip.mean_game import noisy_mean_accuracies

# The incomes of the opening game, in thousands; a mean of five of them is published.
_INCOMES = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0])
_DRAWN, _OUTLIER = 5, 9
# DP needs to know how far an income can be moved: they are clipped to 0 to 100 thousand.
_RANGE = 100.0
_DELTA = 1e-5
_SIGMAS = [
    1, 1.2, 1.5, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48,
    56, 64, 80, 100,
]  # fmt: skip
_SEEN = np.linspace(-50.0, 150.0, 101)
# A spy: a round head below the brim and the crown of a hat, in the units of the picture's axes.
_ROUND = np.linspace(0.9 * np.pi, 2.1 * np.pi, 13)
_SPY = (
    np.concatenate([1.1 * np.cos(_ROUND), [1.05, 1.8, 1.8, 0.9, 0.75, -0.75, -0.9, -1.8, -1.8, -1.05]]),
    np.concatenate([0.13 * np.sin(_ROUND), [0.07, 0.07, 0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.07, 0.07]]),
)
_KNOWS = (
    *("DP: knows who else was in", "MIP: knows the ten, no more", "PMP: knows the ten, is lucky"),
    "MIS: a stranger",
)
_CHANCE = "%{x:.0f} thousand published: in with %{y:.1%}"
_GAIN = "an attack gains %{y:.1%} on an income of %{x} thousand"


class Answers(NamedTuple):
    """What the four notions say of the release, each by its own number."""

    epsilon: float
    dp_accuracy: float
    mip_accuracy: float
    pmp_epsilon: float
    deltas: Array

    @property
    def security(self) -> float:
        """MIS: one minus the mean of what each income adds."""
        return 1.0 - float(self.deltas.mean())


@checked
@k.cache
def four_answers(sigma: Annotated[float, Number(0.1, 1e4)]) -> Answers:
    """Return what the four notions say of the mean of five incomes with Gaussian noise.

    Examples
    --------
    >>> round(four_answers(16.0).mip_accuracy, 3), round(four_answers(16.0).security, 3)
    (0.627, 0.952)
    """
    step = _RANGE / _DRAWN
    return Answers(
        float(tradeoff.gaussian_epsilon(_DELTA, sigma=sigma, sensitivity=step)),
        0.5 + float(tradeoff.gaussian_advantage(sigma, step)) / 2,
        float(noisy_mean_accuracies(_INCOMES, sigma).max()),
        float(pmp.gaussian_epsilon_exact(_INCOMES / _DRAWN, sigma, _DELTA)),
        mis.noisy_mean_deltas(_INCOMES, _DRAWN, sigma),
    )


def _pair(name, means, sigma, place):
    """Return the release with the record and without it, each as high as its highest point."""
    drawn, told = [], "" if name == "DP" else f"{name}: "
    for look, side, centres in zip((k.IN, k.OUT), ("in", "out"), means, strict=True):
        bells = [np.exp(-(((_SEEN - centre) / sigma) ** 2) / 2) for centre in centres]
        height = np.mean(bells, axis=0)
        more = {"hover": f"{name}, record {side}: %{{x:.0f}} thousand", "showlegend": name == "DP", **place}
        drawn.append(k.curve(f"{told}the record is {side}", _SEEN, height / height.max(), look, **more))
    return drawn


def _axes():
    """Return four pictures, two above two."""
    across, up = ([0.0, 0.42], [0.58, 1.0]), ([0.6, 0.9], [0.0, 0.3])
    settings = {}
    for i, name in enumerate(("", "2", "3", "4")):
        quiet = {"showgrid": False, "zeroline": False}
        told = {"tickformat": ".0%"} if i > 1 else {"showticklabels": False, "ticks": ""}
        x = {"domain": across[i % 2], "anchor": f"y{name}", "range": [-50, 150], "dtick": 50}
        y = {"domain": up[i // 2], "anchor": f"x{name}", "range": [0, 1.05], **told}
        settings |= {f"xaxis{name}": {**x, **quiet}, f"yaxis{name}": {**y, **quiet}}
    settings["xaxis4"] |= {
        "range": [-0.6, 9.6],
        "type": "category",
        "dtick": 3,
        "title": {"text": "income, thousand"},
    }
    settings["xaxis3"] |= {"title": {"text": "published, thousand"}}
    settings["yaxis4"] |= {"range": [0, 0.62]}
    return settings


def _drawn(sigma):
    found = four_answers(float(sigma))
    dp, middle, right, gains = ({"xaxis": f"x{i}", "yaxis": f"y{i}"} for i in ("", "2", "3", "4"))
    right, gains = right | {"showlegend": False}, gains | {"showlegend": False}
    chance, people = mip.noisy_mean_posterior(_INCOMES, _OUTLIER, _SEEN, sigma), [f"{v:g}" for v in _INCOMES]
    members = mip.subsets(_INCOMES.size)
    means, has = members @ _INCOMES / _DRAWN, members[:, _OUTLIER]
    worst = _RANGE / 2 + np.array([[_RANGE], [-_RANGE]]) / _DRAWN / 2
    limit = float(expit(found.pmp_epsilon))
    headings = (
        ("DP", k.DP, f"ε = {k.say(found.epsilon)}<br>worst data"),
        ("MIP", k.MIP, f"η = {k.say(found.mip_accuracy - 0.5)}<br>these ten"),
        ("PMP", k.PMP, f"ε̃ = {k.say(found.pmp_epsilon)}<br>chance that 92 was in"),
        ("MIS", k.MIS, f"1 − Δ = {found.security:.3f}<br>an attack's gain"),
    )
    corner = {"x": 0, "y": 1.03, "xanchor": "left", "yanchor": "bottom", "showarrow": False, "align": "left"}
    ends = [_SEEN[0], _SEEN[-1]]
    return k.part(
        _pair("DP", worst, sigma, dp),
        _pair("MIP", (means[has], means[~has]), sigma, middle),
        k.level("highest chance, but for δ", ends, [limit, limit], **right),
        k.level("lowest chance, but for δ", ends, [1 - limit, 1 - limit], **right),
        k.curve("chance that it was in", _SEEN, chance, k.PMP, hover=_CHANCE, **right),
        k.bars("what an attack gains on each income", people, found.deltas, k.MIS, hover=_GAIN, **gains),
        layout=_axes(),
        height=460,
        annotations=[
            {"text": f"<b>{name}</b> {text}", "font": {"color": look.colour}, **corner}
            | {"xref": f"x{where} domain", "yref": f"y{where} domain"}
            for where, (name, look, text) in zip(("", "2", "3", "4"), headings, strict=True)
        ],
        ghost=[],
        headline="right {mip}, at best",
        sentence="MIP looks at these ten: the best spy is right {mip} (exact). DP looks at the worst data: "
        "ε = {epsilon} at δ = 10⁻⁵, right {dp} (exact). PMP tells how far the odds can move, ε̃ = {practical} "
        "(exact); that alone would allow {limit} (bound). MIS averages over all who might have taken part: "
        "security {security}, right {stranger} (exact).",
        alt="Four small pictures at noise {sigma}. DP: two bells 20 thousand apart. MIP: the release with "
        "the outlier and without it. PMP: the chance that the outlier was in, by what was published, "
        "between {lowest} and {highest} but for δ. MIS: a bar for each income, highest for 92 thousand with "
        "{most}.",
        **k.words(sigma=sigma, epsilon=found.epsilon, practical=found.pmp_epsilon),
        **k.words(k.exact, k.in_100, mip=found.mip_accuracy, dp=found.dp_accuracy),
        stranger=k.exact(1 - found.security / 2, k.in_100),
        **k.words(k.exact, ".1%", lowest=1 - limit, highest=limit, most=found.deltas.max()),
        limit=k.at_most(_DELTA + (1 - _DELTA) * limit, k.in_100),
        security=k.exact(found.security, ".3f"),
    )


@k.figure
def four_notions(
    sigma: Annotated[float, k.Stops(_SIGMAS, label="Noise, σ", unit="thousand", play=True)] = 16.0,
):
    """Show what DP, MIP, PMP and MIS say of one release: five of ten incomes, a noisy mean.

    Notes
    -----
    DP: any data, incomes clipped to 0 to 100 thousand. MIP and PMP: a random five of these ten,
    and the outlier, whom noise hides last. MIS: five incomes drawn from the ten, with repetition.

    Examples
    --------
    >>> four_notions(16.0).layout.meta["headline"]
    'right 62.7 times in 100, at best'
    """
    return _drawn


def _spies(sigma):
    """Draw for each of four spies how often he is right."""
    found = four_answers(float(sigma))
    limit = _DELTA + (1 - _DELTA) * float(expit(found.pmp_epsilon))
    spies = (
        (found.dp_accuracy, k.DP, False),
        (found.mip_accuracy, k.MIP, False),
        (limit, k.PMP, True),
        (1 - found.security / 2, k.MIS, False),
    )
    rows, walkers, told = [], [], []
    for row, (name, (share, look, bound)) in enumerate(zip(_KNOWS, spies, strict=True)):
        right = k.at_most(100 * share) if bound else k.exact(100 * share, ".1f")
        bar = {"base": 50, "width": 0.08, "orientation": "h", "showlegend": False}
        bar["hover"] = f"{name}: right {'at most ' * bound}{right} times in 100"
        rows.append(k.bars(name, [100 * share - 50], [-row], look, "/" * bound, **bar))
        # The spy himself walks with his bar, under his hat, and says how far he is.
        at, quiet = 100 * share, {"showlegend": False, "hoverinfo": "skip", "cliponaxis": False}
        shape = {"fill": "toself", "fillcolor": look.colour, "line": {"color": look.colour, "width": 1}}
        side, beside, below = ("bottom center", 0, 0.2) if share > 0.9 else ("middle right", 2, 0)
        said = {"text": [f"<b>{'≤ ' * bound}{right}</b>"], "textposition": side, "mode": "text"}
        walkers += [
            k.points(f"{name[:3]} says", at + beside, -row - below, look, **said, **quiet),
            k.curve(f"{name[:3]} spy", at + _SPY[0], _SPY[1] - row, look, **shape, **quiet),
        ]
        told.append(right)
    return k.part(
        rows,
        walkers,
        headline="who knows the ten: right {ten} in 100",
        sentence="He is right {all} times in 100 if he knows everybody else, {ten} if he knows the ten "
        "(exact), with luck at most {lucky} (bound), and {stranger} as a stranger (exact).",
        alt="Four spies on their way from 50, a coin, to how often they are right at noise {sigma}: {all} if "
        "he knows everybody else, {ten} if he knows the ten, at most {lucky} when the luckiest number comes "
        "out, {stranger} for a stranger. Above each is what he knows: four who were in, filled, and one "
        "question mark; twice ten names in rings; ten question marks.",
        sigma=sigma,
        **dict(zip(("all", "ten", "lucky", "stranger"), told, strict=True)),
    )


def _known():
    """Draw above each spy's way whom he knows: filled who was in, in a ring who may have been."""
    x, quiet = 51.2 + 2.9 * np.arange(10), {"showlegend": False, "hoverinfo": "skip"}
    names = [f"<b>{name[0]}</b>" for name in k.PEOPLE]
    open_ = {"text": ["?", *names, *names, *"?" * 10], "mode": "markers+text", "textfont": {"size": 11}}
    at, row = np.concatenate([x[4:5], x, x, x]), np.repeat(range(4), [1, 10, 10, 10])
    drawn = [
        k.cast(x[:4], np.full(4, 0.37), tuple(k.PEOPLE)[1:5], name="known to be in", size=18, **quiet),
        k.points("not known", at, 0.37 - row, k.LEVEL.with_symbol("circle-open"), size=17, **open_, **quiet),
    ]
    place = {"x": 50, "xanchor": "left", "showarrow": False}
    heads = [name.replace(":", "</b>:") for name in _KNOWS]
    return k.part(
        drawn,
        x=k.axis("right so many times in 100", range=[49.5, 102], tickvals=[50, 60, 70, 80, 90, 100]),
        y={"range": [-3.35, 0.85], "visible": False},
        annotations=[{**place, "y": 0.69 - row, "text": f"<b>{name}"} for row, name in enumerate(heads)],
        height=460,
        ghost=[],
    )


@k.figure
def four_spies(
    sigma: Annotated[float, k.Stops(_SIGMAS, label="Noise, σ", unit="thousand", play=True)] = 12.0,
):
    """Show how often four spies are right about one release: each notion thinks of another.

    Notes
    -----
    The release and the notions are those of `four_notions`.

    Examples
    --------
    >>> four_spies(16.0).layout.meta["headline"]
    'who knows the ten: right 62.7 in 100'
    """
    return _known, _spies
