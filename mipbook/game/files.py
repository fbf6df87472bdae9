"""Read an attack's scores from a CSV file, with a message that names the row."""

from __future__ import annotations

import csv
import io
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mipbook import validate

__all__ = ["Scores", "read_scores"]

_YES = {"1", "true", "yes", "in", "member", "1.0"}
_NO = {"0", "false", "no", "out", "non-member", "nonmember", "0.0"}
_LEAST = 2


class Scores(NamedTuple):
    """An attack's scores and the truth, as `mipbook.game.roc` takes them."""

    scores: NDArray[np.float64]
    member: NDArray[np.bool_]


def _refuse(row: int, what: str) -> None:
    raise ValueError(f"row {row}: {what}")


def read_scores(text: str) -> Scores:
    r"""Return the scores and memberships that a CSV file holds.

    Parameters
    ----------
    text : str
        The file's content.  The first row names the columns; ``score`` and ``member`` must
        be among them, in any order and letter case.  A score is a number, a membership one
        of 1, 0, true, false, yes, no, in, out.  Commas, semicolons and tabs separate.

    Returns
    -------
    Scores

    Raises
    ------
    ValueError
        With the row, counted as an editor does from 1, what stands there, and what may.

    Notes
    -----
    The data behind the rates of the lecture notes, section 3.

    Examples
    --------
    >>> read_scores("score,member\n0.9,1\n0.2,0\n0.8,1\n0.3,0\n").member.tolist()
    [True, False, True, False]
    """
    if not isinstance(text, str):
        validate.refuse("text", text, "the content of a CSV file, a string")
    # A spreadsheet's mark at the start of the file is not part of the first name.
    lines = text.lstrip("\ufeff")
    first = lines.splitlines()[0] if lines.strip() else ""
    separator = max(",;\t", key=first.count)
    try:
        # strict refuses a quote that never ends instead of swallowing the rest of the file.
        reader = csv.reader(io.StringIO(lines, newline=""), delimiter=separator, strict=True)
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise ValueError(f"row {reader.line_num}: not readable as CSV ({error})") from None
    if not any(cell.strip() for _, row in rows for cell in row):
        raise ValueError("row 1: the file is empty; the first row must name score and member")
    names = [cell.strip().lower() for cell in rows[0][1]]
    for wanted in ("score", "member"):
        if names.count(wanted) != 1:
            found = ", ".join(repr(c.strip()) for c in rows[0][1]) or "nothing"
            how = "twice" if names.count(wanted) > 1 else "not at all"
            _refuse(1, f"a column {wanted!r} stands there {how}; the first row holds {found}")
    at_score, at_member = names.index("score"), names.index("member")
    scores, member = [], []
    for number, row in rows[1:]:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(names):
            _refuse(number, f"{len(row)} cells where the first row has {len(names)}")
        scores.append(_score(number, row[at_score], separator))
        member.append(_member(number, row[at_member]))
    for flag, word in ((True, "member (1)"), (False, "record that was out (0)")):
        if member.count(flag) < _LEAST:
            _refuse(len(rows), f"the file ends with fewer than {_LEAST} rows for a {word}")
    return Scores(np.array(scores), np.array(member))


def _score(number: int, cell: str, separator: str) -> float:
    # Where a semicolon separates, a comma is a decimal point.
    text = cell.strip().replace(",", ".") if separator == ";" else cell.strip()
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        _refuse(number, f"score = {cell.strip()!r}: must be a number")
    return value


def _member(number: int, cell: str) -> bool:
    word = cell.strip().lower()
    if word not in _YES | _NO:
        _refuse(number, f"member = {cell.strip()!r}: must be 1 or 0 (or true, false, in, out)")
    return word in _YES
