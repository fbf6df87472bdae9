"""Read an attack's scores from a CSV file, with a message that names the row."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mipbook.csv_rows import number, refuse_row, rows_of

__all__ = ["Scores", "read_scores"]

_YES = {"1", "true", "yes", "in", "member", "1.0"}
_NO = {"0", "false", "no", "out", "non-member", "nonmember", "0.0"}
_LEAST = 2


class Scores(NamedTuple):
    """An attack's scores and the truth, as `mipbook.game.roc` takes them."""

    scores: NDArray[np.float64]
    member: NDArray[np.bool_]


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
    rows, separator = rows_of(text)
    if not rows:
        refuse_row(1, "the file is empty; the first row must name score and member")
    first, heads = rows[0]
    names = [cell.lower() for cell in heads]
    for wanted in ("score", "member"):
        if names.count(wanted) != 1:
            found = ", ".join(map(repr, heads))
            how = "twice" if names.count(wanted) > 1 else "not at all"
            refuse_row(
                first, f"a column {wanted!r} stands there {how}; the first row holds {found}"
            )
    at_score, at_member = names.index("score"), names.index("member")
    scores, member = [], []
    for row, cells in rows[1:]:
        if len(cells) != len(names):
            refuse_row(row, f"{len(cells)} cells where the first row has {len(names)}")
        scores.append(_score(row, cells[at_score], separator))
        member.append(_member(row, cells[at_member]))
    for flag, word in ((True, "member (1)"), (False, "record that was out (0)")):
        if member.count(flag) < _LEAST:
            refuse_row(rows[-1][0], f"the file ends with fewer than {_LEAST} rows for a {word}")
    return Scores(np.array(scores), np.array(member))


def _score(row: int, cell: str, separator: str) -> float:
    value = number(cell, separator)
    if math.isnan(value):
        refuse_row(row, f"score = {cell!r}: must be a number")
    return value


def _member(row: int, cell: str) -> bool:
    word = cell.lower()
    if word not in _YES | _NO:
        refuse_row(row, f"member = {cell!r}: must be 1 or 0 (or true, false, in, out)")
    return word in _YES
