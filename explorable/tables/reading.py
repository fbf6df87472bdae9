"""What a figure reads of an uploaded file, and the sentence that says so."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.tables.cells import counted, listed, refuse
from explorable.tables.read import read_table
from explorable.tables.roles import Chosen, Role, as_roles, resolve, settled, titles
from explorable.tables.table import Table, called


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
