"""The opening game: many rounds pile up until they fill the hills; whom two spies find."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, mip, tradeoff
from mipbook.figures.game.guessing import INCOMES, TARGETS
from mipbook.mechanisms import sampling_mechanism

_OF_1000 = [1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 40, 50, 70, 100, 140, 200, 250, 300, 350, 400, 450, 500]
# A room of a thousand people is ten rows of ten dots, each for ten of them; where each room begins.
_ROW, _FACES = 10, 100
_ROOMS = {"found in the fog": 0, "found with the list": 21}
# Where its walls are, from its middle; and the fog, so many puffs in each of its layers.
_WALL, _PUFFS, _LAYERS = 5.6, 7, np.linspace(5.4, 2.4, 12)
_LEAST = 0.7  # where the axis of the accused begins


def _seats(left, faces):
    """Return where these dots of a room are."""
    return left + 0.5 + faces % _ROW, -0.5 - faces // _ROW


def _cloud(layer, far):
    """Return a layer of the fog, as far as it goes from the middle of its room: puffs around a core."""
    rng, rim = np.random.default_rng(layer), np.linspace(0, 2 * np.pi, 21)
    turn = 2 * np.pi * np.arange(_PUFFS)[:, None] / _PUFFS + rng.uniform()
    size, sides = rng.uniform(1.0, 1.8, (_PUFFS, 1)), []
    for middle, way in ((_ROW / 2, np.cos), (-_ROW / 2, np.sin)):
        core, puffs = (far * np.sign(way(at)) * np.abs(way(at)) ** 0.6 for at in (rim, turn))
        # No wall lets it through.
        held = np.clip(np.vstack([core, puffs + size * way(rim)]), -_WALL, _WALL)
        sides.append(k.gapped(k.short(middle + held)))
    return sides


def _rooms():
    """Return the people of two rooms, the fog over one, and the axis of the accused, who are dragged."""
    x, y = np.hstack([_seats(left, np.arange(_FACES)) for left in _ROOMS.values()])
    ticks, axis = {tick: f"{tick}" for tick in (1, 10, 100, 500)}, {"log": True, "showgrid": False}
    # In it people fade into the page's own ground.
    ends, mist = np.log10([_LEAST, 700]).tolist(), {"fillcolor": k.BACKGROUND[0], "opacity": 0.13}
    return k.part(
        k.points("everybody", x, y, k.LEVEL.with_symbol("circle"), size=8, opacity=0.5, **k.QUIET),
        [k.area(f"fog {i}", *_cloud(i, far), k.LEVEL, **mist) for i, far in enumerate(_LAYERS)],
        **k.stage((-0.9, 31.9), (-11.5, 2.9), height=420, showlegend=False, ghost=[]),
        x2=k.axis("strangers whom each accuses, of 1,000", ticks, range=ends, **axis),
        y2=k.unseen(-1, 1),
        rows=(0.9, 0.04),
        shapes=[
            k.floor(at + 5 - _WALL, at + 5 + _WALL, -5 - _WALL, -5 + _WALL, k.fill(colour), opacity=shade)
            for at, colour, shade in zip(_ROOMS.values(), (k.GREY, k.BLUE), (1, 0.5), strict=True)
        ],
        layout={"margin": {"l": 14, "r": 14, "t": 8, "b": 46}},
        grab=k.drag("accused", _OF_1000, 0.0, along="x2"),
    )


def _sheet(left, faces):
    """Return the rim of the list: the first dots of its room, the last row as far as it goes."""
    rows, more = divmod(faces, _ROW)
    right, cut, end = left + _ROW, left + more, rows + (more > 0)
    return [left, right, right, cut, cut, left, left], -np.array([0, 0, rows, rows, end, end, 0])


def _room(name, rate, who, listed):
    """Return who is found in a room, the list first and others anywhere, and what stands above it."""
    anywhere, left = np.random.default_rng(_ROOMS[name]).permutation(_FACES), _ROOMS[name]
    places = np.concatenate([np.arange(listed), anywhere[anywhere >= listed]])
    # The last dot perhaps in part.
    seats = _seats(left, places[: int(np.ceil(_FACES * rate - 1e-9))])
    # A guess takes the second line away by its beginning.
    lines = {f"<b>{name.removeprefix('found ')}</b>": 16, f"{who}finds <b>{_of_1000(rate)}</b>": 0}
    titles = [k.note(text, left + _ROW / 2, 1.4, yshift=shift) for text, shift in lines.items()]
    return k.points(name, *seats, k.IN, size=9, **k.QUIET), titles


def _of_1000(rate):
    """Write a rate as people of a room, of very few with tenths."""
    return f"{k.say(1000 * rate, 2 if rate < 0.01 else 3)} of 1,000"


def _found(listed, accused):
    """Light those whom each spy finds, and draw how many are accused."""
    # The best attackers with this advantage: through noise, and with a list.
    advantage, fpr, faces = listed / 1000, accused / 1000, listed // 10
    noisy = tradeoff.gaussian_tpr(fpr, float(tradeoff.gaussian_sigma(0.0, delta=advantage)))
    few = game.finite_tpr(fpr, sampling_mechanism(advantage))
    fog, left = _ROOMS
    # The fog gives away anybody. A guess knows the line that it takes away by its space.
    (noise, above), (known, beside) = _room(fog, noisy, "he ", 0), _room(left, few, "he\u00a0", faces)
    line, dots = {"color": k.INK, "width": 2}, "a dot is ten patients or fewer; those found are blue"
    return k.part(
        k.curve("the list", *_sheet(_ROOMS[left], faces), k.IN, fill="toself", line=line, hoverinfo="skip"),
        noise,
        known,
        k.level("innocent, accused", [_LEAST, accused], 0, k.OUT.but(dash="solid", width=12), lower=True),
        annotations=[*above, *beside, k.note(dots, 15.5, -11, yshift=-8)],
        headline="With the list: {few} found",
        sentence="Each accuses {accused} strangers; in the fog that finds {noisy} patients (exact). At best "
        "each is right {right} (exact).",
        alt="Two rooms of a thousand people, a dot for ten. A fog lies over the first, and {noisy} patients "
        "shine through it, anywhere. In the second {few} are found: all on a sheet at the top, the list, and "
        "{accused} of the others. Below, a bar: {accused} strangers are accused.",
        **k.words(k.exact, _of_1000, accused=fpr, noisy=noisy, few=few),
        right=k.exact(0.5 + listed / 2000, k.in_100),
    )


@k.figure
def same_advantage(
    accused: Annotated[int, k.Count(_OF_1000, label="Accused, of 1,000", play=True)] = 10,
    listed: Annotated[int, k.Slider(10, 500, step=10, label="On the list, of 1,000")] = 100,
):
    """Draw whom two best attackers with the same advantage find at one false positive rate.

    Notes
    -----
    Lecture notes, section 3, on success metrics.

    Examples
    --------
    >>> same_advantage().layout.meta["headline"]
    'With the list: 109 of 1,000 found'
    """
    return _rooms, _found


# --- The spy's own line: what it finds, and whom it accuses ---------------------------------------

# Hardly a number lies beyond what is seen of them.
_NOISE, _FINE, _SEEN = 4.0, np.arange(20, 80.1, 0.25), [27, 67]


@k.cache
def _beyond(person):
    """Return the shares of the numbers in each step, with and without the person, and which side is *in*."""
    inside, outside = mip.noisy_mean_shares(INCOMES, list(k.PEOPLE).index(person), _NOISE, _FINE)
    above = bool(inside @ _FINE[1:] > outside @ _FINE[1:])
    return inside, outside, above


def _rates(person, line):
    """Return how many of 100 are found and accused by those lines."""
    *shares, above = _beyond(person)
    found, accused = (100 * np.array([s[_FINE[:-1] >= each].sum() for each in line]) for s in shares)
    return (found, accused) if above else (100 - found, 100 - accused)


@k.figure
def own_line(
    line: Annotated[float, k.Slider(30, 65, 50, step=1, label="Your line", unit="thousand")] = 50,
    person: Annotated[str, k.Choice(["Zoe", "Ines", "Finn", "Anna"], label="Target")] = "Zoe",
):
    """Draw the published numbers with and without a person, a line, and the ROC curve of all lines.

    Notes
    -----
    The game of the first page, noise 4; the lecture notes' section 3, on success metrics.

    Examples
    --------
    >>> own_line(50, "Zoe").layout.meta["headline"]
    '52 found, 1 accused'
    """
    inside, outside, above = _beyond(person)
    top, middle = max(inside.max(), outside.max()), (_FINE[1:] + _FINE[:-1]) / 2
    seen = (middle > _SEEN[0]) & (middle < _SEEN[1])
    middle, with_her, without = middle[seen], inside[seen] / top, -outside[seen] / top
    # The numbers that make the spy say *in*.
    said = middle > line if above else middle < line
    here, flat = middle[said], np.zeros(int(said.sum()))
    every, (found, accused) = _rates(person, _FINE), (float(*share) for share in _rates(person, [line]))
    return k.part(
        k.curve(f"with {person}", middle, with_her, k.IN, fill="tozeroy", **k.QUIET),
        k.curve(f"without {person}", middle, without, k.OUT.exact(), fill="tozeroy", **k.QUIET),
        k.level("a coin toss", [0, 100], [0, 100], lower=True, showlegend=False),
        k.area("all lines, over a coin toss", *every[::-1], k.LEVEL, lower=True),
        k.curve("all lines (exact)", *every[::-1], k.ATTACK, lower=True, **k.QUIET),
        k.band("found", here, flat, with_her[said], k.IN, fillcolor=k.BLUE, **k.QUIET),
        k.band("accused", here, without[said], flat, k.OUT, fillcolor=k.ORANGE, **k.QUIET),
        k.level("your line", line, [-1.06, 1.06], k.READING, showlegend=False),
        k.reading(accused, found, "this line", lower=True),
        annotations=[
            k.note(f"<b>with {person}</b>", 27.5, 1.32, xanchor="left", font={"color": k.IN.colour}),
            k.note(f"<b>without {person}</b>", 27.5, -1.34, xanchor="left", font={"color": k.OUT.colour}),
            k.note(f"found: <b>{found:.0f}</b>", 66.5, 1.32, xanchor="right", font={"size": 15}),
            k.note(f"accused: <b>{accused:.0f}</b>", 66.5, -1.34, xanchor="right", font={"size": 15}),
        ],
        x=k.axis("published, thousands a year", range=_SEEN, showgrid=False),
        y=k.unseen(-1.62, 1.52),
        x2=k.axis("accused, of 100", range=[-12, 103], dtick=50),
        y2=k.axis("found, of 100", range=[-3, 103], dtick=50),
        rows=(0.56, 0.2),
        beside=0.54,
        height=420,
        showlegend=False,
        ghost=[],
        grab=k.drag("line", at=0),
        headline="{found} found, {accused} accused",
        sentence="Say in {way} {line} thousand: you find {found} of 100 with {person}, and accuse {accused} "
        "of 100 without. So you are right {right} (exact).",
        alt="A hill of the numbers with {person}, and below it, upside down, one without. A line at {line}; "
        "the parts {way} it are filled, {found} and {accused} in 100. Beside them a curve of all lines, over "
        "the diagonal, with a mark at this one.",
        **k.words(k.exact, ".0f", found=found, accused=accused),
        **k.words(person=person, way="above" if above else "below", line=k.exact(line, "g")),
        right=k.exact((100 + found - accused) / 200, k.in_100),
    )


_ROUNDS = [10, 20, 30, 50, 70, *range(100, 1001, 100)]
_SIGMAS = [0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16]
_SEED = 7
# Steps of two thousand, beyond which less than one number in a thousand falls.
_EDGES = np.linspace(-12, 100, 57)
_MIDDLES = (_EDGES[1:] + _EDGES[:-1]) / 2


@k.cache
def _played(target):
    """Return whether the target took part in each of the most rounds, the means, and what noise of 1 adds."""
    rng = np.random.default_rng([_SEED, TARGETS[target]])
    rounds = [mip.draw_round(INCOMES, 1.0, rng) for _ in range(_ROUNDS[-1])]
    halves = np.array([half for half, _ in rounds])
    means = halves @ INCOMES / halves.sum(axis=1)
    return halves[:, TARGETS[target]], means, np.array([released for _, released in rounds]) - means


@k.cache
def _expected(sigma, target):
    """Return what the most rounds come to, with the target and without, and how high the picture is."""
    # As many as fall within a step, wherever it begins.
    edges = np.arange(_EDGES[0], _EDGES[-1] + 1)
    shares = mip.noisy_mean_shares(INCOMES, TARGETS[target], sigma, edges)
    hills = [_ROUNDS[-1] / 2 * np.convolve(half, np.ones(2), "valid") for half in shares]
    top = 1.25 * max(hill.max() for hill in hills)
    # From the first game's noise on the axis stands, and the hills sink.
    return edges[1:-1], hills, top if sigma <= _NOISE else max(top, _expected(_NOISE, target)[2])


@k.figure
def many_rounds(
    rounds: Annotated[int, k.Count(_ROUNDS, label="Rounds", play=True)] = 10,
    sigma: Annotated[float, k.Stops(_SIGMAS, label="Noise, σ", unit="thousand")] = 4.0,
    target: Annotated[str, k.Choice(TARGETS.keys(), label="Target")] = "Zoe",
):
    """Draw the numbers that many rounds of the opening game publish, and the hills that they fill.

    Notes
    -----
    The game of MIP Definition 1 on a mean query; `mipbook.mip.noisy_mean_shares` has the curves.

    Examples
    --------
    >>> many_rounds(1000).layout.meta["headline"]
    'A spy is right 88.5 times in 100'
    """
    (x, hills, top), lines, names = _expected(sigma, target), [], []
    was_in, means, noise = (each[:rounds] for each in _played(target))
    released = means + sigma * noise
    place = np.digitize(np.clip(released, _EDGES[0], _EDGES[-1] - 1e-9), _EDGES) - 1
    counts = [np.bincount(place[those], minlength=_MIDDLES.size) for those in (was_in, ~was_in)]
    # What both heaps hold is grey, and each has its colour above the other.
    both, told = np.minimum(*counts), {"hover": "%{x} thousand: %{customdata} rounds"}
    # The first ten are all balls, and their heaps would be specks.
    seen = rounds > _ROUNDS[0]
    heaps = [k.bars("both heaps", _MIDDLES, both, k.LEVEL, opacity=0.45 * seen, **k.QUIET)]
    # Each name stands on its hill, and goes away from the other.
    sides = [("left", 8), ("right", -8)][:: 1 if INCOMES[TARGETS[target]] > INCOMES.mean() else -1]
    kinds = zip(("with", "without"), counts, (k.IN, k.OUT), ("", "/"), hills, sides, strict=True)
    for name, count, look, pattern, hill, (side, far) in kinds:
        line = {"color": look.colour, "dash": look.dash, "shape": "spline"}
        more = {"line": line, "fill": "tozeroy", **k.QUIET}
        lines.append(k.curve(f"{name} {target}, expected", x, k.short(hill), look, **more))
        more = {"customdata": count, "opacity": 0.8 * seen, **told}
        heaps.append(k.bars(f"{name} {target}", _MIDDLES, count - both, look, pattern, **more))
        if pattern:
            heaps[-1]["marker"]["pattern"] |= {"fgcolor": k.BACKGROUND[0], "solidity": 0.12}
        beside = {"xanchor": side, "xshift": far, "yshift": 32, "font": {"color": look.colour}}
        names.append(k.note(f"<b>{name} {target}</b>", float(x[hill.argmax()]), hill.max(), **beside))
    best = mip.noisy_mean_accuracy(INCOMES, TARGETS[target], sigma)
    hits = ((mip.noisy_mean_posterior(INCOMES, TARGETS[target], released, sigma) >= 0.5) == was_in).sum()
    # The last ten lie on the heaps, each in the colour of the truth, and on each other.
    last = np.arange(max(rounds - 10, 0), rounds) if rounds < _ROUNDS[-1] else np.arange(0)
    lying = [(place[last[:i]] == place[each]).sum() for i, each in enumerate(last)]
    high = np.maximum(*counts)[place[last]] + top * 0.055 * (0.5 + np.array(lying))
    for name, those, look in (("in", was_in[last], k.IN), ("out", ~was_in[last], k.OUT)):
        balls = k.points(
            f"the last ten, {name}", *k.short([released[last[those]], high[those]]), look, size=13, **k.QUIET
        )
        balls["marker"]["line"] = {"color": k.BACKGROUND[0], "width": 1.5}
        lines.append(balls)
    # What the best spy says, on the floor.
    higher, floor = hills[0] > hills[1], np.full(x.size, k.short(-0.035 * top))
    for name, those, look in (
        ("in", higher, k.IN.but(width=12)),
        ("out", ~higher, k.OUT.but(dash="solid", width=5)),
    ):
        lines.append(k.curve(f"the best spy says {name}", x, k.kept(floor, those), look, **k.QUIET))
    return k.part(
        heaps,
        lines,
        x=k.axis("published, thousands a year", range=[8, 82], dtick=20, showgrid=False),
        y=k.unseen(-0.07 * top, top),
        height=390,
        showlegend=False,
        annotations=names,
        barmode="stack",
        bargap=0.06,
        headline="A spy is right {best}",
        sentence="He says “in” about where the floor is blue: right in {hits} of {rounds} rounds (exact). "
        "The hills are what a thousand rounds come to, on average.",
        alt="Heaps of the numbers that {rounds} rounds published, with {target} in, {inside}, and with "
        f"{{target}} out, grey where both lie{', the last ten as balls on them' * (last.size > 0)}; the two "
        "hills that a thousand rounds come to, on average; and a floor that is blue and thick where the best "
        "spy says in.",
        moving_axes="With less noise than 4 the hills are higher, and the upright axis with them.",
        ghost=[],
        **k.words(k.exact, k.count, rounds=rounds, inside=int(was_in.sum()), hits=int(hits)),
        **k.words(target=target, best=k.exact(best, k.in_100)),
    )
