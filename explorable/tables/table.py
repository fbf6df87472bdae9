"""A table of text whose columns have names, and how it is put into words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.tables.cells import (
    LARGEST,
    counted,
    is_missing,
    listed,
    looks_numeric,
    number,
    quoted,
    refuse,
    shown,
)

_LINE = 120
_DIGITS = frozenset("0123456789+-.eE")
_UNNAMED = re.compile(r"column \d+")
_COUNTERS = re.compile(r"(.*[ _.-])?(id|idx|index|no|nr|row|number|record)\.?|#|unnamed: 0")


def called(name: str) -> str:
    """Return a column's name as a sentence says it.

    Examples
    --------
    >>> called("age"), called("column 2")
    ("column 'age'", 'column 2')
    """
    return name if _UNNAMED.fullmatch(name) else f"column {shown(name)}"


def distinct(cells: Sequence[str], header: bool) -> tuple[str, ...]:
    """Return names that are all different, none of them empty."""
    names: list[str] = []
    titles = [" ".join(shown(cell, 60)[1:-1].split()) if header else "" for cell in cells]
    for place, title in enumerate(titles, start=1):
        name = title or f"column {place}"
        while name in names:
            name = f"{name} (column {place})"
        names.append(name)
    return tuple(names)


@dataclass(frozen=True, eq=False)
class Table:
    """The cells of a file, column by column.

    Attributes
    ----------
    names : tuple of str
        All different; *column 1* and so on where the file names none.
    header : bool
        Whether the first row holds the names.
    separator : str
        What stands between two cells.
    lines : tuple of int
        The row of each record, as an editor counts, from 1.
    cells : tuple of tuple of str
        For each column the cells of all records, without the blanks around them.
    titles : tuple of str
        What the first row says, in small letters; a title may occur twice.
    skipped : int
        Empty rows above the last record.
    source : str
        What the columns were read from, where it was no text: its records are *entries*.
    """

    names: tuple[str, ...]
    header: bool
    separator: str
    lines: tuple[int, ...]
    cells: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...]
    skipped: int
    source: str = ""

    def __len__(self) -> int:
        """The number of records."""
        return len(self.lines)

    def column(self, name: str) -> tuple[str, ...]:
        r"""Return a column's cells.

        Examples
        --------
        >>> from explorable.tables import read_table
        >>> read_table("age\n31\n52\n").column("age")
        ('31', '52')
        """
        validate.text("name", name)
        if name not in self.names:
            refuse(f"There is no {called(name)}; the columns are {listed(self.names)}.")
        return self.cells[self.names.index(name)]

    def refuse_cell(self, name: str, place: int, what: str) -> NoReturn:
        r"""Raise the ``ValueError`` that names row and column of a record's cell.

        Examples
        --------
        >>> from explorable.tables import read_table
        >>> read_table("age\nten\n").refuse_cell("age", 0, "'ten' is not a number")
        Traceback (most recent call last):
        ValueError: row 2, column 'age': 'ten' is not a number
        """
        validate.text("name", name)
        place = validate.integer("place", place, 0, len(self) - 1)
        validate.text("what", what)
        hint = ""
        if place == 0 and not self.header and not self.source:
            hint = " (the first row holds data, not names)"
        where = "entry" if self.source else "row"
        refuse(f"{where} {self.lines[place]}, {called(name)}: {what}{hint}")

    def number_column(self, name: str, *, infinite: bool = False) -> NDArray[np.float64]:
        r"""Return a column of numbers.

        Parameters
        ----------
        name : str
        infinite : bool
            Whether ``inf`` and ``-inf`` count as numbers.

        Raises
        ------
        ValueError
            With the row, the column, what stands there and what may.

        Examples
        --------
        >>> from explorable.tables import read_table
        >>> read_table("age\n31\n52\n").number_column("age").tolist()
        [31.0, 52.0]
        """
        infinite = validate.switch("infinite", infinite)
        cells, comma = self.column(name), self.separator == ";"
        if comma and any("," in c for c in cells):
            for place, cell in enumerate(cells):
                if "." in cell:
                    what = "has a point where other cells have a decimal comma; write one of them"
                    self.refuse_cell(name, place, f"{quoted(cell)} {what}")
        # Nearly every cell is plain, and then Python reads it ten times faster than rules do.
        plain = [c.replace(",", ".") for c in cells] if comma else cells
        if _DIGITS.issuperset("".join(plain)):
            try:
                values = np.array([float(c) for c in plain])
                if np.abs(values).max(initial=0.0) <= LARGEST:
                    return values
            except ValueError:
                pass
        values = np.empty(len(cells))
        for place, cell in enumerate(cells):
            try:
                values[place] = number(cell, comma=comma, infinite=infinite)
            except ValueError as error:
                empty = sum(not c or is_missing(c) for c in cells) if not cell or is_missing(cell) else 0
                more = (
                    f" (so are {empty - 1:,} more of the {len(cells):,} in this column)" if empty > 1 else ""
                )
                self.refuse_cell(name, place, f"{error}{more}")
        return values

    def without_missing(self, names: Iterable[str]) -> Table:
        r"""Return the table without the records that lack a value in one of these columns.

        Examples
        --------
        >>> from explorable.tables import read_table
        >>> len(read_table("age,size\n31,1\n,2\n40,na\n").without_missing(["age"]))
        2
        """
        empty = [[not c or is_missing(c) for c in self.column(name)] for name in names]
        kept = [place for place, gaps in enumerate(zip(*empty, strict=True)) if not any(gaps)]
        cells = tuple(tuple(column[i] for i in kept) for column in self.cells)
        return replace(self, lines=tuple(self.lines[i] for i in kept), cells=cells)

    def numbers(self, names: Iterable[str]) -> NDArray[np.float64]:
        r"""Return columns of numbers side by side, of shape (records, columns).

        Examples
        --------
        >>> from explorable.tables import read_table
        >>> read_table("a,b\n1,2\n3,4\n").numbers(["a", "b"]).tolist()
        [[1.0, 2.0], [3.0, 4.0]]
        """
        names = validate.sequence("names", names, "names of columns")
        if not names or not all(isinstance(name, str) for name in names):
            validate.refuse("names", names, "names of columns, at least one")
        return np.column_stack([self.number_column(name) for name in names])

    def class_column(self, name: str) -> NDArray[np.int64]:
        r"""Return the class of each record, numbered from 0; words are classes too.

        Raises
        ------
        ValueError
            With the row, for an empty cell, and for a word among numbers.

        Examples
        --------
        >>> from explorable.tables import read_table
        >>> read_table("kind\nb\na\nb\n").class_column("kind").tolist()
        [1, 0, 1]
        """
        cells = self.column(name)
        for place, cell in enumerate(cells):
            if not cell or is_missing(cell):
                what = "is no class; a class is a number or a word"
                self.refuse_cell(name, place, f"{quoted(cell)} {what}")
        numeric = any(looks_numeric(c) for c in cells)
        values = self.number_column(name) if numeric else np.array(cells)
        return np.unique(values, return_inverse=True)[1].astype(np.int64)

    def counters(self) -> tuple[str, ...]:
        """Return the columns that look like a running number: they tell records apart, no more."""
        return tuple(n for n in self.names if self._counts(n))

    def _counts(self, name: str) -> bool:
        cells = self.column(name)
        called_so = self.header and _COUNTERS.fullmatch(name.lower()) is not None
        if len(cells) < 3 or not all(c.isdecimal() and len(c) < 16 for c in cells[:3]):
            return False
        first = int(cells[0])
        in_order = [int(c) for c in cells[:3]] == [first, first + 1, first + 2]
        if not (called_so or in_order) or not all(c.isdecimal() and len(c) < 16 for c in cells):
            return False
        values = [int(c) for c in cells]
        running = values == list(range(first, first + len(values)))
        return running or (called_so and len(set(values)) == len(values))

    def describe(self) -> str:
        """Say in one line of about 120 characters what was read."""
        counters = self.counters()
        holds = self.source or ("first row holds the names" if self.header else "no header")
        if len(counters) == 1:
            holds += f"; {called(counters[0])} looks like a running number"
        elif counters:
            holds += f"; columns {listed(counters, 2)} look like running numbers"
        size = f"{counted(len(self), 'record')}, {counted(len(self.names), 'column')}"
        if not self.header:
            return f"{size}, {holds}"
        room = max(12, _LINE - len(size) - len(holds) - len(" (), and 100 more"))
        return f"{size} ({listed(self.names, 8, room)}), {holds}"
