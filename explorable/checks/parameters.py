"""The ledger of parameters: what the sources vary, and the control that moves it here.

A row of ``parameters.csv`` says of which result (or ``source: place``, where a source numbers nothing)
it is, the parameter, its values there, and what moves it::

    mip-figure-1.n            a panel's control
    axis mip-figure-1         drawn whole, along an axis of this panel or as curves beside each other
    from mip-figure-1.eta     follows from a control
    mip-figure-1              shown at one value; why
                              shown nowhere; why

What a control is, and how many stops it has, is never typed: it is asked of the panels.
"""

from __future__ import annotations

import csv
import html
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from explorable import settings
from explorable.checks.ledger import results
from explorable.checks.page import linked, table

VERDICTS = ("slider", "choice", "typed", "axis", "derived", "held", "absent", "none")
# What a reader cannot move.
STILL = ("held", "absent")
# The kinds of what a source drew, with those that it does not number.
DRAWN = ("figure", "table", "simulation")
# The whole row of a result that has no parameter.
NONE = "none"


@dataclass(frozen=True)
class Place:
    """A panel: the page that it stands on, and its controls as `Control.describe` tells of them."""

    page: str
    controls: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a result: what it is, its values in the source, what moves it, or why nothing does."""

    result: str
    parameter: str
    values: str
    control: str
    why: str

    @property
    def source(self) -> str:
        """The document that has it."""
        return re.split("[-:]", self.result)[0]

    @property
    def kind(self) -> str:
        """The kind of its result; a simulation where the source gives it no number."""
        return next((row.kind for row in results() if row.id == self.result), "simulation")

    @property
    def symbol(self) -> str:
        """What its name begins with.

        Examples
        --------
        >>> Parameter("a", "sigma_i, spread", "", "", "").symbol
        'sigma'
        """
        found = re.match("[A-Za-z]+", self.parameter)
        return found[0] if found else ""

    @property
    def moved(self) -> tuple[str, str, str]:
        """How it is shown (``axis``, ``from``, or nothing), in which panel, by which control."""
        how, _, place = self.control.rpartition(" ")
        panel, _, name = place.partition(".")
        return how, panel, name


@cache
def parameters() -> tuple[Parameter, ...]:
    """Return the rows of the ledger, in the order of the documents.

    Returns
    -------
    tuple of Parameter
    """
    path = settings.book().parameters
    text = path.read_text(encoding="utf-8") if path else ""
    return tuple(Parameter(**row) for row in csv.DictReader(text.splitlines()))


def _stops(controls: Mapping[str, Any], name: str) -> Sequence[Any]:
    """Return the values of a control, or of ``slider.choice`` where a choice names a slider's stops."""
    control, _, choice = name.partition(".")
    described = controls.get(control, {})
    if choice:
        described = described.get("along", {}).get(choice, {})
    found: Sequence[Any] = described.get("labels" if choice else "stops", ())
    return found


def verdict(row: Parameter, panels: Mapping[str, Place]) -> str:
    """Say how a parameter is moved: one of ``VERDICTS``.

    Parameters
    ----------
    row : Parameter
    panels : mapping of Place
        By their ids.

    Examples
    --------
    >>> few = {"kind": "choice", "stops": [1, 2], "low": 1, "stepped": False}
    >>> panels = {"a": Place("page", {"n": few})}
    >>> [verdict(Parameter("r", "n", "", to, ""), panels) for to in ("a.n", "axis a", "from a.n", "a", "")]
    ['typed', 'axis', 'derived', 'held', 'absent']
    """
    how, panel, name = row.moved
    if row.parameter == NONE or panel not in panels:
        return NONE if row.parameter == NONE else "absent"
    if how:
        return {"axis": "axis", "from": "derived"}[how]
    if not name:
        return "held"
    control = panels[panel].controls[name.partition(".")[0]]
    if control["kind"] == "slider":
        return "slider"
    return "typed" if control.get("low") is not None and not control.get("stepped") else "choice"


def faults(panels: Mapping[str, Place]) -> list[str]:
    """Return what is wrong with the ledger: no such result, panel or control, no reason, nothing said.

    Parameters
    ----------
    panels : mapping of Place
        All panels of the book, by their ids.
    """
    rows, found = parameters(), []
    known, sources = {row.id for row in results()}, {row.source for row in rows}
    for row in rows:
        how, panel, name = row.moved
        told = f"{row.result}, {row.parameter}: "
        if row.result not in known and ": " not in row.result:
            found.append(f"{told}no such result")
        if how not in ("", "axis", "from") or (panel and panel not in panels):
            found.append(f"{told}no such panel: {row.control}")
        elif name and not _stops(panels[panel].controls, name):
            has = ", ".join(panels[panel].controls)
            found.append(f"{told}no such control: {row.control}; the panel has {has}")
        elif not how and not name and row.parameter != NONE and not row.why:
            found.append(f"{told}nothing moves it, and no reason is given")
    named = {row.result for row in rows}
    missing = [row.id for row in results() if row.source in sources and row.id not in named]
    return found + [f"{name}: the ledger says nothing of it" for name in missing]


def counts(panels: Mapping[str, Place]) -> dict[str, Counter[str]]:
    """Count the verdicts by source, and of what the sources drew.

    Parameters
    ----------
    panels : mapping of Place
        By their ids.
    """
    found: dict[str, Counter[str]] = {}
    for row in parameters():
        said = verdict(row, panels)
        for group in (row.source, "all", *(["drawn"] if row.kind in DRAWN else [])):
            found.setdefault(group, Counter())[said] += 1
    return found


def _words(row: Parameter, panels: Mapping[str, Place]) -> str:
    """Say what moves a parameter, in few words."""
    said, (_, panel, name) = verdict(row, panels), row.moved
    if said in ("slider", "choice", "typed"):
        controls = panels[panel].controls
        control = controls[name.partition(".")[0]]
        kind = "stops" if said == "slider" else "buttons" if control["kind"] == "choice" else "choices"
        return f"{len(_stops(controls, name))} {kind}"
    return {"axis": "drawn along", "derived": f"follows {name}"}.get(said, said)


def _cell(
    rows: Sequence[Parameter], panels: Mapping[str, Place], links: Mapping[str, str], named: bool
) -> str:
    found = []
    for row in rows:
        words, panel = html.escape(_words(row, panels)), row.moved[1]
        why = f' title="{html.escape(row.why)}"' if row.why else ""
        if panel in links:
            words = f'<a href="{html.escape(links[panel])}"{why}>{words}</a>'
        name = f"{html.escape(row.parameter)}: " if named else ""
        reason = f" ({html.escape(row.why)})" if row.why else ""
        found.append(f"{name}{words}{reason}")
    return "<br>".join(found)


def _row(
    name: str,
    panels: Mapping[str, Place],
    links: Mapping[str, str],
    shown: Collection[str],
    titles: Mapping[str, str],
) -> str:
    rows = [row for row in parameters() if row.result == name and row.parameter != NONE]
    cells = [([row for row in rows if row.symbol == symbol], False) for symbol in shown]
    cells.append(([row for row in rows if row.symbol not in shown], True))
    head = linked(titles.get(name, name.partition(": ")[2]), links.get(name))
    body = "".join(f"<td>{_cell(each, panels, links, named)}</td>" for each, named in cells)
    return f'<tr><th scope="row">{head}</th>{body}</tr>'


def parameter_table(panels: Mapping[str, Place], links: Mapping[str, str]) -> str:
    """Return the tables of all parameters, a document each: a row a result, a column a symbol.

    Parameters
    ----------
    panels : mapping of Place
        By their ids.
    links : mapping
        The addresses of panels and of statements, by their ids.

    Returns
    -------
    str
        HTML.
    """
    shown = settings.book().symbols
    titles = {row.id: f"{row.kind} {row.number}" for row in results()}
    found = counts(panels)
    told = found["drawn"]
    still = sum(told[each] for each in STILL)
    parts = [
        f'<p class="mb-ledger-sum"><strong>{found["all"].total() - found["all"][NONE]} parameters</strong> '
        f"of {len({row.result for row in parameters()})} results and simulations. Of the "
        f"{told.total()} that the sources' own figures, tables and simulations have, {still} stand still.</p>"
    ]
    for source, title in settings.book().sources.items():
        names = dict.fromkeys(row.result for row in parameters() if row.source == source)
        if names:
            body = "".join(_row(name, panels, links, shown, titles) for name in names)
            parts.append(table(title, title, ("result", *shown.values(), "and"), body))
    return "".join(parts)
