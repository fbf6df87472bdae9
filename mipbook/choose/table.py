"""A person's data as a pool: numbers, an even count of records, no two alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.private import private
from explorable.tables import Role
from mipbook.base.types import Array

__all__ = ["POOL_ROLES", "as_pool"]

POOL_ROLES = (Role("columns", "Columns", "", "make up a record", many=True, otherwise="rest", most=20),)


def _column(columns: list[str] | None, place: int) -> str:
    return f"column {columns[place]!r}" if columns else f"column {place}"


@private("data")
def as_pool(data: Any, by_index: bool = False, name: str = "data") -> Array:
    """Return data as a pool of shape (2n, dimension), or say what is wrong and what mends it.

    Parameters
    ----------
    data : array_like or data frame
        One record a row, numbers only; a vector is one column.
    by_index : bool
        Whether equal records count as different persons.
    name : str
        What a message calls the data.

    Notes
    -----
    PMP paper, Definition 2 and its second footnote: records must differ, since an attacker who
    is asked about one of two equal records has no answer.

    Examples
    --------
    >>> as_pool([1.0, 2.0, 4.0, 8.0]).shape
    (4, 1)
    """
    by_index = validate.switch("by_index", by_index)
    if isinstance(data, str | bytes) or data is None:
        validate.refuse(name, data, "an array or data frame with one record a row")
    columns = [str(c) for c in data.columns] if hasattr(data, "columns") else None
    try:
        raw = np.asarray(data)
    except (TypeError, ValueError):
        validate.refuse(name, data, "rows of equal length")
    if raw.ndim == 1:
        raw = raw[:, None]
    if raw.ndim != 2 or 0 in raw.shape:
        validate.refuse_as(name, f"of shape {raw.shape}", "of shape (records, columns), not empty")
    table = _numbers(name, raw, columns)
    if len(table) < 2 or len(table) % 2:
        validate.refuse_as(
            name,
            f"{len(table)} records",
            "an even number of records, at least 2: half of them are drawn; drop one at random",
        )
    if not by_index:
        _refuse_repeats(name, table)
    return table


def _numbers(name: str, raw: NDArray[Any], columns: list[str] | None) -> Array:
    """Return the cells as finite numbers; the first column that has others is named."""
    table = np.empty(raw.shape)
    for place in range(raw.shape[1]):
        try:
            cells = raw[:, place]
            if cells.dtype.kind not in "iuf":
                if any(isinstance(c, str | bool | np.bool_ | complex) for c in cells):
                    raise TypeError
                cells = cells.astype(float)
            table[:, place] = cells
        except (TypeError, ValueError, OverflowError):
            validate.refuse_as(
                name,
                _column(columns, place),
                "numbers; turn categories and switches into numbers, or drop the column",
            )
        bad = np.flatnonzero(~np.isfinite(table[:, place]))
        if bad.size:
            validate.refuse_as(
                name,
                f"{_column(columns, place)}, row {bad[0]}: {table[bad[0], place]}",
                f"finite; {bad.size} of {len(table)} cells of the column are not, so drop or fill them first",
            )
    return table


def _refuse_repeats(name: str, table: Array) -> None:
    order = np.lexsort(table.T[::-1])
    same = np.flatnonzero((table[order[1:]] == table[order[:-1]]).all(axis=1))
    if same.size:
        one, other = sorted((int(order[same[0]]), int(order[same[0] + 1])))
        validate.refuse_as(
            name,
            f"rows {one} and {other} are equal",
            "distinct records: drop repeats, or pass by_index=True to count equal rows as different persons",
        )
