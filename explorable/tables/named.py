"""Columns that already have names: arrays, JSON, and the tables they make."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorable.tables.cells import MEND, listed, refuse
from explorable.tables.table import Table, distinct

_MOST_RECORDS = 5_000_000
_MOST_COLUMNS = 1000
# So begins JSON, and hardly the first name of a table.
_SURELY = re.compile(r"\{\s*(\"|\}|$)|\[\s*([\[{\"\]\d-]|$)")


def table_of(arrays: Mapping[str, NDArray[Any]], source: str, wanted: Collection[str] = ()) -> Table:
    """Return the table of those arrays that have an entry for each record.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        What has another length than the records is left out.  Axes beyond those that count the
        records are averaged, as over augmentations of a picture.
    source : str
        What they were read from, for the sentence that says so.
    wanted : collection of str
        Titles, in small letters, of arrays that settle what a record is.

    Examples
    --------
    >>> table_of({"score": np.array([1.5, 2.0]), "auc": np.array(0.5)}, "arrays").names
    ('score',)
    """
    kept = {name: a for name, a in arrays.items() if a.ndim and a.size}
    if not kept:
        refuse(f"The file holds no list of numbers; {MEND}")
    if len(kept) == 1 and (lone := next(iter(kept.values()))).ndim == 2:
        return _without_names(lone, source)
    told = [a.shape for name, a in kept.items() if name.lower() in wanted]
    shapes = told or [a.shape for a in kept.values()]
    shape = max(
        dict.fromkeys(shapes), key=lambda s: (sum(other[: len(s)] == s for other in shapes), math.prod(s))
    )
    same = {name: a for name, a in kept.items() if a.shape[: len(shape)] == shape}
    averaged = [name for name, a in same.items() if a.ndim > len(shape)]
    if math.prod(shape) > _MOST_RECORDS:
        refuse(f"The file holds {math.prod(shape):,} records; at most {_MOST_RECORDS:,} are read.")
    columns = {name: _flat(a, len(shape)) for name, a in same.items()}
    parts = [source]
    if len(shape) > 1:
        parts.append(f"{' × '.join(f'{n:,}' for n in shape)} entries, one after the other")
    if averaged:
        parts.append(f"averaged over the last axis: {listed(averaged)}")
    return _table({name: cells_of(a) for name, a in columns.items()}, "; ".join(parts))


def _without_names(lone: NDArray[Any], source: str) -> Table:
    """Return the columns of a single array with two axes."""
    if lone.shape[1] > _MOST_COLUMNS:
        refuse(f"The file has {lone.shape[1]:,} columns; at most {_MOST_COLUMNS:,} are read.")
    columns = {f"{i}": cells_of(column) for i, column in enumerate(lone.T)}
    return _table(columns, source, header=False)


def _flat(array: NDArray[Any], axes: int) -> NDArray[Any]:
    beyond = tuple(range(axes, array.ndim))
    if beyond:
        with np.errstate(all="ignore"):  # what comes of it is refused where it is no number
            array = array.astype(np.float64).mean(axis=beyond)
    return array.ravel()


def _table(columns: Mapping[str, tuple[str, ...]], source: str, *, header: bool = True) -> Table:
    size = len(next(iter(columns.values())))
    return Table(
        names=distinct(tuple(columns), header),
        header=header,
        separator=",",
        lines=tuple(range(1, size + 1)),
        cells=tuple(columns.values()),
        titles=tuple(name.lower() if header else "" for name in columns),
        skipped=0,
        source=source,
    )


def cells_of(values: Any) -> tuple[str, ...]:
    """Return entries as a file would hold them, numbers with all their digits.

    Examples
    --------
    >>> cells_of([0.1, True, None, "in"])
    ('0.1', '1', '', 'in')
    """
    array = np.asarray(values) if isinstance(values, np.ndarray) else np.array(values, object)
    if array.dtype == bool:
        return tuple("1" if v else "0" for v in array.tolist())
    if array.dtype.kind == "f":
        return tuple(map(repr, array.astype(np.float64).tolist()))
    if array.dtype.kind in "iuU":
        return tuple(map(str, array.tolist()))
    return tuple(map(_cell, array.tolist()))


def _cell(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "1" if value else "0"
    if isinstance(value, float | np.floating):
        return repr(float(value))
    try:
        # Also what a data frame has for a missing value, which is not even equal to itself.
        return "" if value is None or not bool(value == value) else str(value)
    except (TypeError, ValueError):
        return ""


def arrays_of_json(text: str) -> dict[str, NDArray[Any]] | None:
    r"""Return the lists of a JSON file by their names; None for a text that is no JSON.

    Parameters
    ----------
    text : str
        An object of lists, or a list of objects, one a record.

    Raises
    ------
    ValueError
        For JSON that breaks off, with the place, and for JSON without lists that have names.

    Examples
    --------
    >>> arrays_of_json('{"score": [0.5, 2.5], "auc": 0.7}')["score"].tolist()
    [0.5, 2.5]
    >>> arrays_of_json("score,member\n")
    """
    if text[:1] not in ("{", "["):
        return None
    try:
        told = json.loads(text)
    except json.JSONDecodeError as error:
        if not _SURELY.match(text):
            return None
        place = f"row {error.lineno}, character {error.colno}"
        refuse(f"This is JSON that is damaged or breaks off at {place}; {MEND}")
    except (ValueError, RecursionError):
        refuse(f"This is JSON with a number too long, or too deep, to be read; {MEND}")
    if isinstance(told, list) and told and all(isinstance(row, dict) for row in told):
        names = dict.fromkeys(name for row in told for name in row)
        told = {name: [row.get(name) for row in told] for name in names}
    if not isinstance(told, dict):
        refuse(f"This is JSON without names for its lists; {MEND}")
    found = {name: _list(value) for name, value in told.items()}
    lists = {name: array for name, array in found.items() if array is not None}
    if not lists:
        refuse(f"This is JSON without a list; {MEND}")
    return lists


def _list(value: Any) -> NDArray[Any] | None:
    """Return a list as an array, None for anything else; pandas writes a list as an object."""
    entries = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(entries, list):
        return None
    if any(isinstance(entry, list) for entry in entries):
        try:
            array = np.array(entries)
        except ValueError:  # rows of different lengths
            return None
        return array if array.dtype.kind in "biuf" else None
    plain = all(isinstance(entry, str | bool | int | float | None) for entry in entries)
    return np.array(entries, dtype=object) if plain else None
