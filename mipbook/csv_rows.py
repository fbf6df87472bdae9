"""Rows of a reader's CSV file, with the row numbers that an editor shows."""

from __future__ import annotations

import csv
import io
import math
from typing import NoReturn

from mipbook import validate

__all__ = ["number", "refuse_row", "rows_of"]


def refuse_row(row: int, what: str) -> NoReturn:
    """Raise the ``ValueError`` that names the row, counted from 1, and what is wrong there."""
    raise ValueError(f"row {row}: {what}")


def rows_of(text: str) -> tuple[list[tuple[int, list[str]]], str]:
    r"""Return the rows that are not empty, each with its number, and the separator.

    Parameters
    ----------
    text : str
        The file's content; commas, semicolons or tabs separate.

    Returns
    -------
    rows : list of (int, list of str)
        Cells without the blanks around them.
    separator : str

    Raises
    ------
    ValueError
        For something that is no text, and for a quote that never ends, with its row.

    Examples
    --------
    >>> rows_of("a;b\n\n1;2\n")
    ([(1, ['a', 'b']), (3, ['1', '2'])], ';')
    """
    if not isinstance(text, str):
        validate.refuse("text", text, "the content of a file, a string")
    # A spreadsheet's mark at the start of the file is not part of the first cell.
    content = text.lstrip("\ufeff")
    first = content.splitlines()[0] if content.strip() else ""
    separator = max(",;\t", key=first.count)
    # strict refuses a quote that never ends instead of swallowing the rest of the file.
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=separator, strict=True)
    rows = []
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                rows.append((reader.line_num, stripped))
    except csv.Error as error:
        raise ValueError(f"row {reader.line_num}: not readable as CSV ({error})") from None
    return rows, separator


def number(cell: str, separator: str) -> float:
    """Return the cell as a number, nan if it is none; where ; separates, a comma is a point."""
    try:
        return float(cell.replace(",", ".") if separator == ";" else cell)
    except ValueError:
        return math.nan
