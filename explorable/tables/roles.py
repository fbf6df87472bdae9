"""What a figure needs of a table, which columns serve for it, and the sentence that says what was read."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.tables.cells import counted, listed, refuse, shown
from explorable.tables.read import read_table
from explorable.tables.table import Table, called

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


class Reading(NamedTuple):
    """A table, and which of its columns serve for what.

    Attributes
    ----------
    table : Table
    roles : tuple of Role
    columns : dict from str to tuple of str
        For each role's name the columns.
    """

    table: Table
    roles: tuple[Role, ...]
    columns: dict[str, tuple[str, ...]]

    def numbers(self, *roles: str) -> NDArray[np.float64]:
        r"""Return the columns of these roles side by side, of shape (records, columns).

        Examples
        --------
        >>> x = Role("x", "X", "is used", "to use", otherwise="place")
        >>> read_columns("age\n31\n52\n", [x]).numbers("x").ravel().tolist()
        [31.0, 52.0]
        """
        for role in roles:
            validate.choice("roles", role, tuple(self.columns))
        return self.table.numbers(name for role in roles for name in self.columns[role])

    def check_records(self, least: int, most: int) -> None:
        r"""Refuse a file with too few or too many records.

        Examples
        --------
        >>> x = Role("x", "X", "is used", "to use", otherwise="place")
        >>> read_columns("age\n31\n52\n", [x]).check_records(1, 100)
        """
        least = validate.integer("least", least, 0)
        most = validate.integer("most", most, 0)
        size = len(self.table)
        if not least <= size <= most:
            # The bounds are the figure's, so the reader hears of them and not of their names.
            holds = f"The file holds {counted(size, 'record')}"
            refuse(f"{holds}; {least:,} to {most:,} are needed.")

    def say(self, *more: str) -> str:
        """Return the sentence that says what was read, and what else the figure did."""
        for words in more:
            validate.text("more", words)
        table, parts = self.table, [self.table.describe()]
        used = [name for names in self.columns.values() for name in names]
        commas = any("," in cell for name in used for cell in table.column(name))
        if table.separator == ";" and commas:
            parts.append("commas are read as decimal points")
        if table.skipped:
            verb = "is" if table.skipped == 1 else "are"
            parts.append(f"{counted(table.skipped, 'empty row')} {verb} skipped")
        if any("\ufffd" in name for name in table.names):
            parts.append("some letters are lost, since the file is not in UTF-8")
        parts += [self._use(role) for role in self.roles if role.name in self.columns]
        if unused := [name for name in table.names if name not in used]:
            parts.append(f"not used: {listed(unused)}")
        return "Read: " + "; ".join([*parts, *(words for words in more if words)]) + "."

    def _use(self, role: Role) -> str:
        names = self.columns[role.name]
        if role.many:
            return f"{role.label.lower()}: {listed(names)}"
        default = role.otherwise == "last" and names[0] == self.table.names[-1]
        last = ", the last one," if default and len(self.table.names) > 1 else ""
        return f"{called(names[0])}{last} {role.does}"


def read_columns(text: str, roles: Iterable[Role], chosen: Chosen = ()) -> Reading:
    r"""Read a file and find the columns that a figure needs.

    Parameters
    ----------
    text : str
        The file's content, as `read_table` reads it.
    roles : iterable of Role
    chosen : mapping, or pairs, from a role's name to names of columns
        As `resolve` takes it.

    Examples
    --------
    >>> x = Role("x", "X", "is used", "to use", otherwise="place")
    >>> read_columns("age\n31\n52\n", [x]).say()
    "Read: 2 records, 1 column (age), first row holds the names; column 'age' is used."
    """
    roles = as_roles(roles)
    table = read_table(text, titles(roles))
    return Reading(table, roles, resolve(table, roles, chosen))


def describe_file(text: Any, roles: Iterable[Role], chosen: Chosen = ()) -> dict[str, Any]:
    r"""Return what a page shows of a file, whatever the file is; nothing is raised.

    Parameters
    ----------
    text : str
        The file's content.
    roles : iterable of Role
    chosen : mapping, or pairs, from a role's name to names of columns

    Returns
    -------
    dict
        ``problem``, a message, for a file that cannot be read.  Else ``read``, one line;
        ``columns``, the names; ``roles``, from a role's name to a list of names, empty where
        nothing is settled yet; and ``question`` where a required role has no column.

    Examples
    --------
    >>> x = Role("x", "X", "is used", "to use")
    >>> describe_file("a,b\n1,2\n", [x])["question"]
    'The file has 2 columns (a, b). Choose which one to use.'
    >>> describe_file("", [x])
    {'problem': 'The file is empty.'}
    """
    roles = as_roles(roles)
    try:
        table = read_table(text, titles(roles))
    except ValueError as error:
        return {"problem": str(error)}
    told: dict[str, Any] = {"read": table.describe(), "columns": list(table.names)}
    found: dict[str, tuple[str, ...]] = {}
    try:
        found = settled(table, roles, chosen)
        found = resolve(table, roles, chosen)
    except ValueError as error:
        told["question"] = str(error)
    return told | {"roles": {role.name: list(found.get(role.name, ())) for role in roles}}
