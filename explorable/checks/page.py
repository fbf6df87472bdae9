"""The page of results as HTML: one table a document, every row of ``results.csv``."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Mapping, Sequence

from explorable import settings
from explorable.checks.ledger import STATUSES, Record, Result, counted, read_in, results
from explorable.checks.verdict import Tally

_HEADS = ("result", "what it says", "chapter", "checked by", "status")


def _evidence(found: Sequence[Record]) -> str:
    comparisons = [c for record in found for c in record.comparisons]
    equal = [c.deviation for c in comparisons if c.relation == "equal"]
    text = counted(comparisons)
    if read := read_in([reading for record in found for reading in record.readings]):
        text = f"{text}; {read}"
    if not equal:
        return text
    return f"{text}, off by at most {max(equal):.1g}" if max(equal) else f"{text}, without error"


def _status(found: Sequence[Record]) -> str:
    # Several checks of one result may speak of several readings; the gravest is shown.
    return max((record.status for record in found), key=STATUSES.index)


def _planted(found: Sequence[Record], tally: Tally | None) -> str:
    if tally is None:
        return ""
    excuses = "".join(
        f"<li><code>{html.escape(e.function)}</code> {html.escape(e.error)}: {html.escape(e.why)}</li>"
        for record in found
        for e in record.excuses
    )
    return f"<br>{html.escape(str(tally))}" + (f"<ul>{excuses}</ul>" if excuses else "")


def linked(words: str, link: str | None) -> str:
    """Return words in HTML, with a link if there is an address."""
    words = html.escape(words)
    return f'<a href="{html.escape(link)}">{words}</a>' if link else words


def table(title: str, caption: str, heads: Iterable[str], body: str) -> str:
    """Return a table that scrolls by itself, of rows in HTML."""
    head = "".join(f'<th scope="col">{h}</th>' for h in heads)
    return (
        f'<div class="mb-ledger" tabindex="0" role="region" aria-label="{title}"><table>'
        f"<caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(
    result: Result, found: Sequence[Record], links: tuple[str | None, str | None], tally: Tally | None = None
) -> str:
    name = linked(f"{result.kind} {result.number}", links[0])
    evidence = linked(_evidence(found) if found else "nothing yet", links[1])
    status = _status(found) if found else "not checked yet"
    state = "open" if not found else "done"
    counts = f' data-caught="{tally.caught}" data-planted="{tally.planted}"' if tally else ""
    return (
        f'<tr id="ledger-{result.id}" class="mb-{state}"{counts}>'
        f'<th scope="row">{name}<br><code>{result.id}</code></th>'
        f"<td>{html.escape(result.title)}</td><td>{html.escape(result.chapter)}</td>"
        f"<td>{evidence}{_planted(found, tally)}</td>"
        f"<td>{html.escape(status)}</td></tr>"
    )


def ledger_table(
    checked: Sequence[Record],
    links: Mapping[str, str],
    tallies: Mapping[str, Tally] | None = None,
    checks: Mapping[str, str] | None = None,
    signed: Collection[str] = (),
) -> str:
    """Return the tables of all results with what was checked of each.

    Parameters
    ----------
    checked : sequence of Record
        The records of all pages.
    links : mapping
        From a result's id to the address of its statement.
    tallies : mapping, optional
        From a result's id to how many planted errors its checks caught.
    checks : mapping, optional
        From a result's id to the address of its first check.
    signed : collection of str
        The ids of results whose texts are as they were when they were compared with their sources.

    Returns
    -------
    str
        HTML.
    """
    by_id: dict[str, list[Record]] = {}
    for record in checked:
        by_id.setdefault(record.id, []).append(record)
    rows = results()
    counts = [sum(_status(f) == s for f in by_id.values()) for s in STATUSES]
    read, known = {r.id for r in checked if r.readings}, {row.id for row in rows}
    told = ", ".join(f"{s}: {n}" for n, s in zip(counts, STATUSES, strict=True) if n)
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
            _row(
                r, by_id.get(r.id, []), (links.get(r.id), (checks or {}).get(r.id)), (tallies or {}).get(r.id)
            )
            for r in of_source
        )
        parts.append(table(title, f"{title}: {done} of {len(of_source)} checked", _HEADS, body))
    return "".join(parts)
