"""What a figure needs of a table, which columns serve for it, and columns that have names."""

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.tables.cells import MEND, counted, listed, refuse, shown
from explorable.tables.table import Table, called, distinct

Columns = tuple[tuple[str, tuple[str, ...]], ...]
Chosen = Mapping[str, Sequence[str]] | Iterable[tuple[str, Sequence[str]]]


class Role(NamedTuple):
    """What a column is needed for.

    Attributes
    ----------
    name : str
        The key by which a figure asks for it.
    label : str
        What stands beside the choice on the page.
    does : str
        The end of a sentence, *column 'y' is the target*.
    ask : str
        The end of a question, *Choose which column is the target.*
    many : bool
        Whether several columns may serve.
    optional : bool
        Whether none may.
    known : tuple of str
        Titles, in small letters, that settle it; the first that occurs counts.
    otherwise : {"ask", "place", "last", "rest"}
        What happens if no title does: ask; take the columns in their order where there are as
        many as are needed; take the last one; take all that are left.
    most : int
        The largest number of columns.
    """

    name: str
    label: str
    does: str
    ask: str
    many: bool = False
    optional: bool = False
    known: tuple[str, ...] = ()
    otherwise: str = "ask"
    most: int = 1


def as_columns(chosen: Any) -> Columns:
    """Return chosen columns as pairs that can be hashed, roles in alphabetical order.

    Parameters
    ----------
    chosen : mapping, or pairs, from a role's name to names of columns
        As a page sends it; a single name may stand for a list of one.

    Returns
    -------
    tuple of (str, tuple of str)
        Roles with at least one column.

    Examples
    --------
    >>> as_columns({"target": "y", "features": ["a", "b"], "weight": []})
    (('features', ('a', 'b')), ('target', ('y',)))
    """
    allowed = "lists of the chosen column names by role"
    try:
        pairs = {k: (v,) if isinstance(v, str) else tuple(v) for k, v in dict(chosen).items()}
    except (TypeError, ValueError):
        validate.refuse("columns", chosen, allowed)
    if not all(isinstance(word, str) for key, names in pairs.items() for word in (key, *names)):
        validate.refuse("columns", chosen, allowed)
    return tuple(sorted((key, names) for key, names in pairs.items() if names))


def as_roles(roles: Any) -> tuple[Role, ...]:
    """Return roles as a tuple, refused unless all of them are `Role`."""
    found = validate.sequence("roles", roles, "Role")
    if not all(isinstance(role, Role) for role in found):
        validate.refuse("roles", roles, "a list of Role")
    return found


def titles(roles: Iterable[Role]) -> tuple[str, ...]:
    """Return the titles that settle one of the roles."""
    return tuple(title for role in roles for title in role.known)


def resolve(table: Table, roles: Iterable[Role], chosen: Chosen = ()) -> dict[str, tuple[str, ...]]:
    r"""Return the columns for every role: those that were chosen, else the obvious ones.

    A column that looks like a running number is never among *all that are left*.

    Parameters
    ----------
    table : Table
    roles : iterable of Role
    chosen : mapping, or pairs, from a role's name to names of columns
        Whatever the reader chose; may be partial.

    Returns
    -------
    dict from str to tuple of str
        An optional role without column is missing.

    Raises
    ------
    ValueError
        For an unknown role or column, a column that serves twice, and with a question where
        there is a choice that nobody made.

    Examples
    --------
    >>> from explorable.tables import read_table
    >>> x = Role("x", "X", "is x", "is x", otherwise="rest", many=True, most=9)
    >>> y = Role("y", "Y", "is y", "is y", known=("target",), otherwise="last")
    >>> resolve(read_table("id,target,a\n1,5,3\n2,5,3\n3,5,4\n"), [y, x])
    {'y': ('target',), 'x': ('a',)}
    """
    validate.instance("table", table, Table, "of read_table")
    roles = list(as_roles(roles))
    found = settled(table, roles, chosen)
    needed = [role for role in roles if not role.optional]
    single = sum(not role.many for role in needed)
    if len(table.names) < len(needed):
        parts = ", ".join(role.label.lower() for role in needed)
        has = counted(len(table.names), "column")
        refuse(f"The file has {has}; {len(needed)} are needed ({parts}).")
    places = [role for role in needed if role.otherwise == "place" and role.name not in found]
    free = _free(table, found)
    if single == len(needed) and len(free) == len(places):
        found.update({role.name: (name,) for role, name in zip(places, free, strict=True)})
    for role in needed:
        if role.name not in found:
            found[role.name] = _otherwise(table, role, _free(table, found))
    return {role.name: found[role.name] for role in roles if role.name in found}


def settled(table: Table, roles: Sequence[Role], chosen: Chosen = ()) -> dict[str, tuple[str, ...]]:
    """Return the columns that were chosen, and those that a title settles."""
    found = _chosen(table, roles, as_columns(chosen))
    for role in roles:
        if role.name not in found and (match := _by_title(table, role, _free(table, found))):
            found[role.name] = (match,)
    return found


def _free(table: Table, found: Mapping[str, tuple[str, ...]]) -> list[str]:
    taken = {name for names in found.values() for name in names}
    return [name for name in table.names if name not in taken]


def _chosen(table: Table, roles: Sequence[Role], chosen: Columns) -> dict[str, tuple[str, ...]]:
    """Check what was chosen; the names come back in the file's order."""
    by_name = {role.name: role for role in roles}
    found: dict[str, tuple[str, ...]] = {}
    for key, names in chosen:
        if key not in by_name:
            allowed = listed(list(by_name)) if by_name else "none"
            refuse(f"columns: nothing is called {shown(key)}; the roles are {allowed}.")
        role, places = by_name[key], set()
        for name in names:
            table.column(name)
            for other, taken in found.items():
                if name in taken:
                    both = f"{by_name[other].label.lower()} and as {role.label.lower()}"
                    refuse(f"{called(name)} is chosen twice, as {both}.")
            places.add(table.names.index(name))
        if len(places) > role.most:
            many = f"{counted(len(places), 'column')} are chosen as {role.label.lower()}"
            refuse(f"{many}; at most {role.most} can be. Choose fewer.")
        found[key] = tuple(table.names[i] for i in sorted(places))
    return found


def _by_title(table: Table, role: Role, free: list[str]) -> str | None:
    for title in role.known:
        titled = zip(table.names, table.titles, strict=True)
        hits = [name for name, says in titled if says == title and name in free]
        if len(hits) > 1:
            refuse(f"{len(hits)} columns are called {shown(title)}. Choose which one {role.ask}.")
        if hits:
            return hits[0]
    return None


def _otherwise(table: Table, role: Role, free: list[str]) -> tuple[str, ...]:
    """Return the documented default of a role, or ask."""
    if role.otherwise == "last" and table.names[-1] in free:
        return (table.names[-1],)
    if role.otherwise == "rest":
        counters = table.counters()
        rest = [name for name in free if name not in counters] or free
        if len(rest) > role.most:
            size = f"The file has {counted(len(rest), 'column')} for {role.label.lower()}"
            refuse(f"{size}; at most {role.most} can be used. Choose fewer.")
        if rest:
            return tuple(rest)
    question = f"Choose which {'columns' if role.many else 'one'} {role.ask}."
    if role.known and table.header:
        missing = f"the column {shown(role.known[0])} is missing"
        who = "file" if table.source else "first row"
        refuse(f"{missing}; the {who} names {listed(table.names)}. {question}")
    named = f" ({listed(table.names)})" if table.header else " without names"
    refuse(f"The file has {counted(len(table.names), 'column')}{named}. {question}")


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
