"""The pages of results and of parameters as HTML: what was checked, and what moves what the sources vary.

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
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from explorable import settings
from explorable.checks.ledger import STATUSES, Record, Result, counted, results
from explorable.checks.verdict import Tally

_HEADS = ("result", "what it says", "chapter", "checked by", "status")


def _linked(words: str, link: str | None, why: str = "") -> str:
    """Return words in HTML, with a link if there is an address, and on that why it is so."""
    words, title = html.escape(words), f' title="{html.escape(why)}"' if why else ""
    return f'<a href="{html.escape(link)}"{title}>{words}</a>' if link else words


def _table(title: str, caption: str, heads: Iterable[str], body: str) -> str:
    """Return a table that scrolls by itself, of rows in HTML."""
    head = "".join(f'<th scope="col">{h}</th>' for h in heads)
    return (
        f'<div class="mb-ledger" tabindex="0" role="region" aria-label="{title}"><table>'
        f"<caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


# --- Results ---------------------------------------------------------------------------------------


def _evidence(found: Sequence[Record]) -> str:
    if not found:
        return "nothing yet"
    comparisons = [c for record in found for c in record.comparisons]
    equal = [c.deviation for c in comparisons if c.relation == "equal"]
    text = counted(comparisons, [reading for record in found for reading in record.readings])
    if not equal:
        return text
    return f"{text}, off by at most {max(equal):.1g}" if max(equal) else f"{text}, without error"


def _status(found: Sequence[Record]) -> str:
    # Several checks of one result may speak of several readings; the gravest is shown.
    return max((record.status for record in found), key=STATUSES.index, default="not checked yet")


def _planted(found: Sequence[Record], tally: Tally | None) -> str:
    if tally is None:
        return ""
    excuses = "".join(
        f"<li><code>{html.escape(e.function)}</code> {html.escape(e.error)}: {html.escape(e.why)}</li>"
        for record in found
        for e in record.excuses
    )
    return f"<br>{html.escape(str(tally))}" + (f"<ul>{excuses}</ul>" if excuses else "")


def _result_row(
    result: Result, found: Sequence[Record], links: tuple[str | None, str | None], tally: Tally | None
) -> str:
    name = _linked(f"{result.kind} {result.number}", links[0])
    counts = f' data-caught="{tally.caught}" data-planted="{tally.planted}"' if tally else ""
    return (
        f'<tr id="ledger-{result.id}" class="mb-{"done" if found else "open"}"{counts}>'
        f'<th scope="row">{name}<br><code>{result.id}</code></th>'
        f"<td>{html.escape(result.title)}</td><td>{html.escape(result.chapter)}</td>"
        f"<td>{_linked(_evidence(found), links[1])}{_planted(found, tally)}</td>"
        f"<td>{html.escape(_status(found))}</td></tr>"
    )


def ledger_table(
    checked: Sequence[Record],
    links: Mapping[str, str],
    tallies: Mapping[str, Tally],
    checks: Mapping[str, str],
    signed: Collection[str],
) -> str:
    """Return the tables of all results with what was checked of each, as HTML.

    Parameters
    ----------
    checked : sequence of Record
        The records of all pages.
    links : mapping
        From a result's id to the address of its statement.
    tallies : mapping
        From a result's id to how many planted errors its checks caught.
    checks : mapping
        From a result's id to the address of its first check.
    signed : collection of str
        The ids of results whose texts are as they were when they were compared with their sources.
    """
    rows, by_id = results(), dict[str, list[Record]]()
    for record in checked:
        by_id.setdefault(record.id, []).append(record)
    counts = Counter(map(_status, by_id.values()))
    read, known = {r.id for r in checked if r.readings}, {row.id for row in rows}
    told = ", ".join(f"{status}: {counts[status]}" for status in STATUSES if counts[status])
    parts = [
        f'<p class="mb-ledger-sum"><strong>{len(by_id)} of {len(rows)} results are checked</strong>'
        f"{f' ({told})' if told else ''}; {len(rows) - len(by_id)} are not checked yet. "
        f"<strong>Of {len(read)} the formulas are read as they are printed</strong>, and held against what "
        f"was computed; the texts of <strong>{len(known & {*signed})}</strong> were compared with their "
        "sources and have not changed since.</p>"
    ]
    for source, title in settings.book().sources.items():
        of_source = [row for row in rows if row.source == source]
        done = sum(row.id in by_id for row in of_source)
        body = "".join(
            _result_row(r, by_id.get(r.id, []), (links.get(r.id), checks.get(r.id)), tallies.get(r.id))
            for r in of_source
        )
        parts.append(_table(title, f"{title}: {done} of {len(of_source)} checked", _HEADS, body))
    return "".join(parts)


# --- Parameters ------------------------------------------------------------------------------------

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
    def symbol(self) -> str:
        """What its name begins with.

        Examples
        --------
        >>> Parameter("a", "sigma_i, spread", "", "", "").symbol
        'sigma'
        """
        return re.split("[^A-Za-z]", self.parameter)[0]

    @property
    def moved(self) -> tuple[str, str, str]:
        """How it is shown (``axis``, ``from``, or nothing), in which panel, by which control."""
        how, _, place = self.control.rpartition(" ")
        panel, _, name = place.partition(".")
        return how, panel, name


@cache
def parameters() -> tuple[Parameter, ...]:
    """Return the rows of the ledger, in the order of the documents."""
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
    """Count the verdicts by source, of all, and of what the sources drew, numbered or not.

    Parameters
    ----------
    panels : mapping of Place
        By their ids.
    """
    found: dict[str, Counter[str]] = {}
    kinds = {row.id: row.kind for row in results()}
    for row in parameters():
        drawn = kinds.get(row.result, "simulation") in DRAWN
        for group in (row.source, "all", *(["drawn"] if drawn else [])):
            found.setdefault(group, Counter())[verdict(row, panels)] += 1
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


def parameter_table(panels: Mapping[str, Place], links: Mapping[str, str]) -> str:
    """Return the tables of all parameters, a document each, as HTML: a row a result, a column a symbol.

    Parameters
    ----------
    panels : mapping of Place
        By their ids.
    links : mapping
        The addresses of panels and of statements, by their ids.
    """
    shown = settings.book().symbols
    titles = {row.id: f"{row.kind} {row.number}" for row in results()}

    def cell(rows: Iterable[Parameter], named: bool) -> str:
        found = []
        for row in rows:
            name = f"{html.escape(row.parameter)}: " if named else ""
            reason = f" ({html.escape(row.why)})" if row.why else ""
            found.append(f"{name}{_linked(_words(row, panels), links.get(row.moved[1]), row.why)}{reason}")
        return f"<td>{'<br>'.join(found)}</td>"

    def line(name: str) -> str:
        rows = [row for row in parameters() if row.result == name and row.parameter != NONE]
        head = _linked(titles.get(name, name.partition(": ")[2]), links.get(name))
        cells = [cell((row for row in rows if row.symbol == symbol), False) for symbol in shown]
        cells.append(cell((row for row in rows if row.symbol not in shown), True))
        return f'<tr><th scope="row">{head}</th>{"".join(cells)}</tr>'

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
            body = "".join(map(line, names))
            parts.append(_table(title, title, ("result", *shown.values(), "and"), body))
    return "".join(parts)
