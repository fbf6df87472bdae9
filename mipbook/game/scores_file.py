"""An attack's scores from a file, with a message that names row and column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mipbook.base import validate
from mipbook.tables import Reading, Role, number
from mipbook.tables.cells import counted, refuse, shown

__all__ = ["SCORE_ROLES", "Scores", "scores_of"]

SCORE_ROLES = (
    Role("score", "Score", "is the score", "is the score", known=("score", "scores")),
    Role(
        "member",
        "Member, 1 or 0",
        "says who is a member",
        "says who is a member (1 or 0)",
        known=("member", "is_member", "membership"),
    ),
)
_MEANING = dict.fromkeys(("true", "yes", "in", "member"), True) | dict.fromkeys(
    ("false", "no", "out", "non-member", "nonmember"), False
)
_LEAST = 2


class Scores(NamedTuple):
    """An attack's scores and the truth, as `mipbook.game.roc` takes them."""

    scores: NDArray[np.float64]
    member: NDArray[np.bool_]


def scores_of(reading: Reading) -> Scores:
    r"""Return the scores and memberships in a file whose columns are known.

    Parameters
    ----------
    reading : Reading
        With columns for `SCORE_ROLES`.  A score is a number or ``inf``, a membership one of
        1, 0, true, false, yes, no, in, out.

    Raises
    ------
    ValueError
        With the row, the column, what stands there, and what may.

    Notes
    -----
    The data behind the rates of the lecture notes, section 3.

    Examples
    --------
    >>> from mipbook.tables import read_columns
    >>> text = "loss,in\n0.9,1\n0.2,0\n0.8,1\n0.3,0\n"
    >>> scores_of(read_columns(text, SCORE_ROLES, {"score": "loss", "member": "in"})).scores[0]
    np.float64(0.9)
    """
    table = validate.instance("reading", reading, Reading, "of read_columns").table
    (score,), (says,) = (reading.columns[role.name] for role in SCORE_ROLES)
    scores = table.number_column(score, infinite=True)
    # A file has thousands of cells and few ways to say yes or no.
    column = table.column(says)
    meaning = {cell: _member(cell, table.separator == ";") for cell in set(column)}
    for place, cell in enumerate(column):
        if meaning[cell] is None:
            table.refuse_cell(
                says, place, f"{shown(cell)} must be 1 or 0 (or true, false, yes, no, in, out)"
            )
    member = np.array([meaning[cell] for cell in column], dtype=bool)
    inside, outside = int(member.sum()), int((~member).sum())
    if min(inside, outside) < _LEAST:
        holds = f"The file holds {counted(inside, 'member')} (1) and {outside:,} others (0)"
        refuse(f"{holds}; at least {_LEAST} of each are needed.")
    return Scores(scores, member)


def _member(cell: str, comma: bool) -> bool | None:
    """Return what a cell says about membership, None for anything but yes and no."""
    try:
        return {1.0: True, 0.0: False}.get(number(cell, comma=comma))
    except ValueError:
        return _MEANING.get(cell.lower())
