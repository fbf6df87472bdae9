"""The pictures of the chapter on choosing, how much noise and what it is called, and its lab."""

import math
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

import mipbook.figures.kit as k
from explorable.tables import read_columns
from mipbook import data
from mipbook.base.rounding import up
from mipbook.choose import examples as stored
from mipbook.choose.choice import POOL_ROLES
from mipbook.figures.words import even_records, repeats

_THROWN = np.random.default_rng(41).standard_normal((40, 2))
# The throw of forty that lies about as far as usual in both scores.
_USUAL = _THROWN[np.abs(np.abs(_THROWN) - 1).sum(axis=1).argmin()]
# Forty with it, of a seed that leaves the words their room; sixteen lie in the disk.
_FORTY = np.vstack([_USUAL, np.random.default_rng(150739).standard_normal((39, 2))])
_TURN = np.linspace(0, 2 * np.pi, 61)
_RING = np.array([np.cos(_TURN), np.sin(_TURN)])
# A hundred rounds, in rows of ten, the first ones below.
_ROUNDS = np.array([np.arange(100) % 10, np.arange(100) // 10 - 9])


def _flat(table, counts):
    """Return a pool's people, as they count, in the plane in which it lies widest; one column as a line."""
    if table.shape[1] == 1:
        return np.column_stack([counts, np.zeros(len(counts))])
    return counts @ np.linalg.svd(table, full_matrices=False)[2][:2].T


def _mean(table, clip):
    return _flat(table, data.clip_norm(table, clip)).mean(axis=0)


def _room(table, clip):
    """Return how far a picture of a pool goes: it comes nearer as the circle does, and not as fast."""
    lengths = np.linalg.norm(_flat(table, table), axis=1)
    whole = max(float(lengths.max()), 2.3 * float(np.quantile(lengths, 0.9))) or 1.0
    return 1.08 * whole * min(clip / whole, 1.0) ** 0.88


def _room_axes(clip, wide):
    """Return the axes of a pool's picture, which goes so far."""
    # Above everybody there is room for a word.
    far = {"x": 0, "y": 1.09 * wide, "yshift": 8, "showarrow": False}
    return {
        "x": {"visible": False, "range": [-wide, wide]},
        "y": {"visible": False, "range": [-wide, 1.18 * wide], "scaleanchor": "x"},
        "annotations": [far | {"text": "↑ the circle is out there", "visible": clip > wide}],
        "ghost": [],
        "moving_axes": "the picture comes nearer with the circle",
    }


def _pool_and_circle(table, clip, size=5, opacity=1.0):
    """Return the people of a pool as they count, and the circle to which those beyond are pulled in."""
    people, counts = _flat(table, table), _flat(table, data.clip_norm(table, clip))
    inside, bent = np.linalg.norm(table, axis=1) <= clip, k.Look(k.ORANGE, symbol="x", width=1)
    tails = k.short(np.stack([counts, people], axis=1)[~inside])
    return [
        k.curve("from where they stand", k.gapped(tails[..., 0]), k.gapped(tails[..., 1]), bent, **k.QUIET),
        k.points("the people", *k.short(counts[inside].T), k.LEVEL, size=size, opacity=opacity, **k.QUIET),
        k.points("pulled in", *k.short(counts[~inside].T), bent, size=8, **k.QUIET),
        k.level("the clip: who is outside is pulled in", *clip * _RING, k.Look(k.INK, "dash")),
    ]


def _the_two(drawn, side, room=True):
    """Name two who alone stand outside, where their lines reach the circle, if there is room."""
    ends = drawn[2]["x"], drawn[2]["y"]
    *at, said = (
        (*np.mean(ends, axis=1), "\u2002<b>two</b>\u2002") if room and len(ends[0]) == 2 else (0, 0, " ")
    )
    return k.text("who is outside", *at, said, textposition=side, textfont={"size": 11}, cliponaxis=False)


def _disk(mean, sigma):
    """Return the disk of radius sigma around the mean: of throws 1 - exp(-1/2) lie in it, four in ten."""
    ring, look = k.short(mean[:, None] + sigma * _RING), replace(k.PMP, width=3)
    return k.curve("the noise, one σ", *ring, look, fill="toself", hoverinfo="skip")


def _noise_of(mean, sigma):
    """Return the disk of the noise, and one throw, which is published."""
    arrow = np.stack([mean, mean + sigma * _USUAL], axis=1)
    tip = {"symbol": ["circle", "arrow"], "angleref": "previous", "size": [7, 11], "color": k.INK}
    drawn = {"mode": "lines+markers", "marker": tip, "hoverinfo": "skip"}
    said = "from the mean to what is printed"
    return [_disk(mean, sigma), k.curve(said, *k.short(arrow), k.READING, **drawn)]


# The first picture of the chapter: one pool, one threshold, the targets whose ring stays in the room,
# and the noise that meets each, rounded up.
_CROWD: dict[str, Any] = {"name": stored.EXAMPLES[0], "mechanism": "gaussian", "clip": 5.0, "delta": 1e-3}
_CROWD_CHOICES = [stored.example_choice(target=aim, **_CROWD) for aim in stored.TARGETS[::-1] if aim >= 0.04]
_NOISES = [up(answer.sigma, 3) for answer in _CROWD_CHOICES]
_BEGUN = 0.406
# How often the page lets a spy be right.
_ALLOWED = k.at_most(next(each for each in _CROWD_CHOICES if each.target == 0.1).success, k.in_100)
# How far in each score a patient is from the mean, root mean square.
_POOL = stored.example_pool(_CROWD["name"])
_SPREAD = math.sqrt(_POOL.var(axis=0, ddof=1).mean())
# Where the noise's reach is held, below the crowd.
_RULE = -2.95
# Beside the crowd a tube that fills: where it stands, and how high 50 and 75 in 100 are.
_TUBE, _EMPTY, _FULL = (3.1, 3.7), -2.2, 1.75
_ASIDE = {"textposition": "middle right", "cliponaxis": False}


def _filled(right):
    """Return how high the tube is filled if the spy is right so many times in 100."""
    return _EMPTY + (right - 50) / 25 * (_FULL - _EMPTY)


def _in_tube(name, low, high, look, **more):
    (left, end), (low, high) = _TUBE, map(_filled, (low, high))
    return k.area(name, [left, end, end, left], [low, low, high, high], look, **more)


def _crowd():
    # One of them stands far out, on the left.
    people = k.short((_POOL[:, 1::-1] - _POOL[:, 1::-1].mean(axis=0)).T)
    first = k.at_most(100 * _CROWD_CHOICES[_NOISES.index(_BEGUN)].success)
    heights = [_filled(100 * _ALLOWED.value), _filled(first.value), _FULL]
    said = ["allowed", f"first disk:<br><b>{first}</b>", "75"]
    style = {"cliponaxis": False, "textfont": {"size": 14, "color": k.INK}}
    where, ends = (
        {"textposition": ["middle right", "top right", "bottom right"], **style},
        ["50", "right in 100,<br>at most"],
    )
    names = ["<b>how far off<br>a patient is</b>", "◆ forty means"]
    called = style | {"textfont": {"size": 14, "color": [k.INK, k.PMP.colour]}}
    called["textposition"] = ["top center", "middle right"]
    return k.part(
        k.area("so far a patient", *k.short(_SPREAD * _RING), k.LEVEL),
        k.points("the people", *people, k.LEVEL, size=7, opacity=0.4, **k.QUIET),
        k.level("a patient's", [-0.75, -2.2], [0.66, 1.45], k.ATTACK.but(dash="dot", width=1.5)),
        k.text("their names", [-2.75, -3.8], [1.5, -3.2], names, **called),
        _in_tube("the tube", 50, 75, k.LEVEL),
        _in_tube("what is allowed", 50, 100 * _ALLOWED.value, k.MIP),
        k.level("up to here", np.add(_TUBE, [-0.06, 0.06]), heights[0], k.MIP.bound()),
        k.level("there at first", np.add(_TUBE, [-0.06, 0.06]), heights[1], k.LEVEL.but(dash="dot", width=2)),
        k.text("what the marks say", [_TUBE[1] + 0.14] * 3, heights, said, **where),
        # A coin fills nothing of it.
        k.text("the tube's ends", [np.mean(_TUBE)] * 2, [_EMPTY - 0.3, _FULL + 0.55], ends, **style),
        **k.stage((-3.85, 5.3), (-3.55, 2.6), square=True, height=390, showlegend=False, ghost=[]),
        grab=k.drag("noise", _NOISES, _RULE),
        sentence="So wide a disk leaves the spy a privacy loss of {target} at most (bound, at δ = {delta}).",
        alt="Two hundred people as dots, around their mean two disks: one of radius {noise}, the noise, "
        "with forty throws of it, and one of radius {spread}, as far as a patient is off. Beside them a "
        "tube, filled as often as the spy is right at most, here {right}; a dashed line is at {allowed}.",
        headline="Right at most {right}",
        allowed=_ALLOWED,
        spread=_SPREAD,
        delta=_CROWD["delta"],
    )


def _ring(noise):
    answer = _CROWD_CHOICES[np.abs(np.array(_NOISES) - noise).argmin()]
    right, full = k.at_most(100 * answer.success), {"fillcolor": k.INK}
    said = k.told("<b>{right}</b>", right=right)
    beside = {"textposition": "middle left", "textfont": {"size": 18, "color": k.INK}}
    return k.part(
        k.level("how far it reaches", noise, [0, _RULE], k.PMP.but(width=1.5)),
        _disk(np.zeros(2), noise),
        k.points("forty throws", *k.short(noise * _FORTY.T), k.PMP, size=5, **k.QUIET),
        _in_tube("right, so often", 50, right.value, k.ATTACK, **full),
        k.text("right, said", [_TUBE[0] - 0.1], [_filled(right.value)], [said], **beside),
        noise=noise,
        target=k.at_most(answer.target),
        right=k.at_most(answer.success, k.in_100),
    )


@k.figure
def choose_crowd(noise: Annotated[float, k.Stops(_NOISES, label="Noise in each score", play=True)] = 0.843):
    """Draw two hundred people, what may be published of their mean with some noise, and who is right.

    References
    ----------
    PMP paper, conclusion: a target for the practical attacker.

    Examples
    --------
    >>> choose_crowd().layout.meta["headline"]
    'Right at most 52.6 times in 100'
    """
    return _crowd, _ring


_POOLS = [name for name in stored.EXAMPLES if name != "20 people"]
# Where the circle can be drawn; what the page names is stored, the rest takes a tenth of a second.
_CIRCLES = [1, 1.2, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8.5, 10, 12, 14, 17, 20]
# From where to where the longest step goes that the label reckons with: nobody need be there.
# The last is a place where nobody is, if the circle is wide.
_ACROSS = np.array([[-(0.5**0.5), 0.5**0.5, 0.16], [-(0.5**0.5), 0.5**0.5, -0.52]])
_PATTERNS = {"the spy": "", "an insider": "/", "the label": "."}


def _called(pool, clip):
    # The picture steps back as the circle grows, and not as fast: it is always seen.
    table, given, wide = stored.example_pool(pool), {**_CROWD, "name": pool, "clip": clip}, 1.65 * clip**0.85
    answer = stored.example_choice(target=0.1, **given)
    found = [k.at_most(e) for e in (answer.target, answer.subset_epsilon.value, answer.epsilon)]
    lying = {"orientation": "h", "width": 0.4, "showlegend": False, "lower": True}
    style = {**_ASIDE, "textfont": {"size": 14}, **k.LOWER}
    bars, names = [], []
    # Each bar and its name have names of their own, so that they can be asked for.
    for row, ((name, sign), each) in enumerate(zip(_PATTERNS.items(), found, strict=True)):
        hover = f"{name}: at most %{{x:.3g}}"
        bars.append(k.bars(name, [each.value], [row], k.PMP, sign, hover=hover, **lying))
        # It stands above its bar: beside it it would leave the bar no room.
        names.append(k.text(f"{name}, said", [0], [row + 0.42], [f"<b>{each}</b> {name}"], **style))
    # Whoever may stand where the step ends; between them and the people there may be much room.
    room = np.linalg.norm(_flat(table, data.clip_norm(table, clip)), axis=1).max() < 0.3 * clip
    ends = {"size": [20, 20, 0], "color": k.BACKGROUND[0], "line": {"color": k.INK, "width": [1.5, 1.5, 0]}}
    said = ["<b>?</b>", "<b>?</b>", "nobody is<br>out here" if room else " "]
    here = {"mode": "markers+text", "textfont": {"size": 14, "color": k.INK}, "cliponaxis": False, **k.QUIET}
    drawn = _pool_and_circle(table, clip, round(6 * min(5 / clip, 1) ** 0.5, 1), 0.6)
    return k.part(
        k.area("inside the circle", *k.short(clip * _RING), k.LEVEL),
        drawn,
        _the_two(drawn, "middle right", clip >= 10),
        k.level("the label's step: right across", *clip * _ACROSS[:, :2], k.Look(k.INK, width=1.5)),
        k.points("whoever", *clip * _ACROSS, k.READING, text=said, marker=ends, **here),
        _disk(_mean(table, clip), answer.sigma),
        bars,
        names,
        k.text("what the bars say", [0], [2.95], ["privacy loss, at most:"], **style),
        **k.stage((-wide, wide), (-wide, wide), square=True, height=460, showlegend=False, ghost=[]),
        moving_axes="the picture steps back as the circle grows",
        x2=k.unseen(0, 2),
        y2=k.unseen(-0.3, 3.1),
        rows=(0.54, 0.04),
        beside=0.58,
        grab=k.drag("clip", [0] * len(_CIRCLES), np.minimum(_CIRCLES, wide), along="y"),
        headline="Called ε = {epsilon}",
        sentence="With noise of {sigma} the spy's loss is {target} at most, the label's {epsilon} (bounds, "
        "at δ = {delta}). {clipped} of {records} people are pulled in to the circle (exact).",
        alt="People as dots, a dashed circle at the clip threshold, a line right across it between two "
        "places where nobody need be, and around the mean a disk as wide as the noise, {sigma}. Beside them "
        "three bars: the label's epsilon, {epsilon}; an insider's, {known}; the spy's, {target}.",
        probe=list(_PATTERNS),
        delta=given["delta"],
        sigma=k.at_most(answer.sigma),
        **k.words(k.exact, "d", clipped=answer.clipped, records=answer.records),
        **dict(zip(("target", "known", "epsilon"), found, strict=True)),
    )


@k.figure
def choose_name(
    pool: Annotated[str, k.Choice(_POOLS, label="People")] = _POOLS[0],
    clip: Annotated[float, k.Stops(_CIRCLES, label="Dashed circle, C", play=True)] = 5.0,
):
    """Draw what the same noise is called, on the label, and what an insider and the spy get of it.

    References
    ----------
    PMP paper, conclusion: a target for the practical attacker, and an aggressive clip.

    Examples
    --------
    >>> choose_name().layout.meta["headline"]
    'Called ε = 0.243'
    """
    return _called


# --- The lab: any pool, any target ------------------------------------------------------------

_FILE = k.File(stored.EXAMPLES, roles=POOL_ROLES, label="I have", elsewhere=True)
_TARGETS = [t for t in stored.TARGETS if t not in (0.012, 0.025, 0.035, 0.06, 0.085, 0.35, 0.6, 0.85)]


@k.few
def _read(file):
    """Return the pool, and what was read of an own file."""
    if not isinstance(file, k.UploadedFile):
        return stored.example_pool(file), ""
    reading = read_columns(file.text, POOL_ROLES, file.columns)
    reading.check_records(2, 2000)
    records, left = even_records(reading, reading.numbers("columns"), 92)
    return records, reading.say(left, repeats(records))


@k.few
def _chosen(file, mechanism, target, clip, delta):
    """Return the answer; the exponential mechanism has no delta, so one entry serves all of them."""
    given = mechanism, target, clip, delta if mechanism == "gaussian" else 0.0
    if isinstance(file, k.UploadedFile):
        return stored.chosen(_read(file)[0], *given)
    return stored.example_choice(file, *given)


def _off(table, clip, sigma):
    """Return how far the noise, the lot and the circle put what is published off the pool's mean, RMS."""
    counts = data.clip_norm(table, clip)
    lot = math.sqrt(counts.var(axis=0, ddof=1).sum() / len(counts))
    return sigma * math.sqrt(table.shape[1]), lot, float(np.linalg.norm((counts - table).mean(axis=0)))


def _table(answer, off):
    """Return what else the answer tells, what it does not promise among it."""
    names = ("off by the noise, in all columns", "off by who is drawn", "off by the circle")
    rows = zip(names, map(k.exact, off), strict=True) if off else answer.utility.items()
    told = [*rows, ("ε(X), if he knows all others, at most", k.at_most(answer.subset_epsilon.value))]
    told += [("ε on DP's label, at most", k.at_most(answer.epsilon))] if off else []
    told += [("note", note) for note in answer.notes]
    told += [("not promised", "a second release, side knowledge, records outside the pool")]
    return [["quantity", "value"], *map(list, told)]


def _wide(file, clip, delta, sigma=0.0):
    """Return how far the picture goes: as far as an example's noise at ε̃ = 0.1, or as one's own."""
    if not isinstance(file, k.UploadedFile):
        sigma = _chosen(file, "gaussian", 0.1, clip, delta).sigma
    return max(_room(_read(file)[0], clip), 1.2 * sigma)


def _people(file, clip, delta):
    """Draw the people, the circle that can be pulled, and beside them a hundred rounds."""
    table, read = _read(file)
    held = np.minimum(stored.CLIPS, 0.9 * _room(table, clip))
    grab = k.drag("clip", [0] * len(held), held, along="y")
    if not isinstance(file, k.UploadedFile):
        x, y = _mean(table, clip)
        sigmas = [_chosen(file, "gaussian", target, clip, delta).sigma for target in _TARGETS]
        edge = x + np.minimum(sigmas, 0.9 * _wide(file, clip, delta))
        grab = k.drag("target", edge, [y] * len(edge)) + grab
    small = k.points("all rounds", *_ROUNDS, k.LEVEL, size=3, lower=True, **k.QUIET)
    half = k.level("half of them: a coin toss", [-0.7, 9.7], -4.5, showlegend=False, lower=True)
    drawn = _pool_and_circle(table, clip)
    return k.part(drawn, _the_two(drawn, "middle left"), small, half, read=read, grab=grab)


def _answered(file, target, clip, delta, mechanism="gaussian"):
    """Draw the noise that is enough, and how often a spy is then right."""
    answer, (table, _) = _chosen(file, mechanism, target, clip, delta), _read(file)
    gaussian, columns, wide = answer.mechanism == "gaussian", table.shape[1], _room(table, clip)
    noise, off, words = [], (), {"use": k.at_least(answer.epsilon)}
    if gaussian:
        wide, off = _wide(file, clip, delta, answer.sigma), _off(table, clip, answer.sigma)
        noise = _noise_of(_mean(table, clip), answer.sigma)
        words = {"sigma": k.at_most(answer.sigma), "off": k.exact(math.hypot(*off)), "delta": float(delta)}
        words |= {"columns": columns} if columns > 1 else {}
    each = " in each of the {columns} columns" * (columns > 1)
    title = "filled: right at most<br>dashed: a coin toss"
    won = _ROUNDS[:, : math.ceil(100 * answer.success)]
    return k.part(
        noise,
        k.heads("rounds in which he is right", *won, k.ATTACK, size=0.9, showlegend=False, lower=True),
        **_room_axes(clip, wide),
        x2=k.axis(title, **k.BARE, range=[-0.7, 9.7], constrain="domain"),
        y2={"visible": False, "range": [-9.7, 0.7], "constrain": "domain", "scaleanchor": "x2"},
        rows=(0.6, 0.06),
        beside=0.64,
        height=400,
        table=_table(answer, off),
        headline="The mean is off by {off}" if gaussian else "A choice at ε = {use}",
        sentence=f"{f'Noise of {{sigma}}{each}: a' if gaussian else 'A'} spy is right {{right}} at most"
        f"{', with δ = {delta} counted in' * gaussian} (bounds). "
        "{clipped} of {records} people are pulled in to the circle"
        f"{'; what is published is off the mean of all by {off}, RMS' * gaussian} (exact).",
        alt="People as dots in a dashed circle"
        f"{', around their mean a disk of radius {sigma}' * gaussian}. Beside them a hundred rounds "
        "in rows of ten; a spy is right {right} at most.",
        **k.words(k.exact, "d", clipped=answer.clipped, records=answer.records),
        right=k.at_most(answer.success, k.in_100),
        **words,
    )


def pool_choice(file, target, clip, delta, mechanism):
    """Draw any pool and target, by either mechanism; the exponential one chooses a signed axis."""
    answered = k.layer(_answered, file=file, target=target, clip=clip, delta=delta, mechanism=mechanism)
    return k.stacked(k.layer(_people, file=file, clip=clip, delta=delta), answered)


@k.figure
def choose_lab(
    file: Annotated[str | k.UploadedFile, _FILE] = stored.EXAMPLES[0],
    target: Annotated[float, k.Stops(_TARGETS, label="The spy may gain, ε̃").safe("down")] = 0.1,
    clip: Annotated[float, k.Stops(stored.CLIPS, label="Clip: dashed circle, C")] = 5.0,
    delta: Annotated[float, k.Stops(stored.DELTAS, label="δ").safe("down")] = 1e-3,
):
    """Draw a pool, the noise for its mean that meets a target, and how often a spy is then right.

    A file of one's own holds 2 to 2,000 records; of an odd number one, drawn at random, is left
    out, and equal ones count as different persons.

    References
    ----------
    PMP paper, section on the Gaussian mechanism, "Our approach", and its conclusion.

    Examples
    --------
    >>> choose_lab().layout.meta["table"][0]
    ['quantity', 'value']
    """
    return _people, _answered
