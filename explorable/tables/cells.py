"""Cells of a reader's file: as numbers, and as a message shows them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NoReturn

from explorable import private, validate

# Fits and predictions from such numbers, sixteen digits larger, still fit into 32 bits.
LARGEST = 1e15
# What mends most files that are no tables.
MEND = "save it as CSV (comma separated, UTF-8) and choose that."
_LONGEST_MESSAGE = 300
_LONGEST_CELL = 40
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"[+-]?0[xX][0-9a-fA-F]+")
_INFINITE = {"inf", "infinity", "+inf", "+infinity", "-inf", "-infinity", "∞", "-∞"}
_MISSING = {"na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing", "-", "?", "."}


def refuse(message: str) -> NoReturn:
    """Raise a ``ValueError`` whose message is cut at 300 characters."""
    if len(message) > _LONGEST_MESSAGE:
        message = message[: _LONGEST_MESSAGE - 1] + "…"
    raise private.told(message)


def shown(cell: str, most: int = _LONGEST_CELL) -> str:
    r"""Write a cell as a message quotes it: short, on one line, nothing invisible.

    Examples
    --------
    >>> shown("ten\n"), shown("x" * 100, 8)
    ("'ten '", "'xxxxxxx…'")
    """
    # Cut first: a cell may hold megabytes.
    text = "".join(c if c.isprintable() else " " for c in cell[: most + 1])
    return f"'{text[: most - 1]}…'" if len(text) > most else f"'{text}'"


def quoted(cell: str) -> str:
    """Write what stands in a cell, or that it is one where records are hidden.

    Examples
    --------
    >>> quoted("ten")
    "'ten'"
    """
    return "the cell" if private.is_private() else shown(cell)


def listed(names: Sequence[str], most: int = 4, room: int = 120) -> str:
    """Write names one after the other, as many as fit, and how many are left.

    Examples
    --------
    >>> listed(["a", "b"]), listed(list("abcdefg"))
    ('a, b', 'a, b, c, d and 3 more')
    """
    words: list[str] = []
    for name in names[:most]:
        word = shown(name, 20)[1:-1]
        if words and len(", ".join([*words, word])) > room:
            break
        words.append(word)
    left = len(names) - len(words)
    return ", ".join(words) + (f" and {left:,} more" if left else "")


def counted(count: int, noun: str) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> counted(1, "record"), counted(2000, "record")
    ('1 record', '2,000 records')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def is_missing(cell: str) -> bool:
    """Tell whether a cell says that a value is missing."""
    return cell.lower() in _MISSING


def looks_numeric(cell: str) -> bool:
    """Tell whether somebody meant a number, be it one that is read or not.

    Examples
    --------
    >>> [c for c in ("1e-5", "nan", "10%", "1,000", "0x1F", "age", "") if looks_numeric(c)]
    ['1e-5', 'nan', '10%', '1,000', '0x1F']
    """
    if _HEXADECIMAL.fullmatch(cell) or cell.lower() in _INFINITE:
        return True
    try:
        float(re.sub(r"[\s,'\u2019_]", "", cell.replace("−", "-").rstrip("% ")))
    except ValueError:
        return False
    return True


def number(cell: str, *, comma: bool = False, infinite: bool = False) -> float:
    """Return the number that a cell holds.

    Parameters
    ----------
    cell : str
        Digits with a decimal point and an exponent, or without them; a typeset minus will do.
    comma : bool
        Whether a comma is the decimal point, as where semicolons separate.
    infinite : bool
        Whether ``inf``, ``-inf`` and numbers above `LARGEST` are taken.

    Examples
    --------
    >>> number("1e-5"), number("0,5", comma=True)
    (1e-05, 0.5)
    """
    plain = validate.text("cell", cell).replace("−", "-")
    comma, infinite = validate.switch("comma", comma), validate.switch("infinite", infinite)
    if comma:
        plain = plain.replace(",", ".")
    if infinite and plain.lower() in _INFINITE:
        return -math.inf if plain.startswith("-") else math.inf
    if _NUMBER.fullmatch(plain):
        value = float(plain)
        if abs(value) <= LARGEST or (infinite and math.isfinite(value)):
            return value
        refuse(f"{quoted(cell)} is too large; numbers up to 1e15 in size are read")
    refuse(_trouble(cell))


def _trouble(cell: str) -> str:
    """Say what is wrong with a cell that is no plain number."""
    if not cell:
        return "the cell is empty"
    what = quoted(cell)
    if is_missing(cell):
        return f"{what} is no value; fill the cell or drop the row"
    if looks_numeric(cell):
        if cell.endswith("%"):
            return f"{what} is a percentage; write it as a fraction, 0.1 for 10%"
        if _HEXADECIMAL.fullmatch(cell):
            return f"{what} is hexadecimal; write a decimal number"
        if cell.lower() in _INFINITE:
            return f"{what} is infinite; only finite numbers are read"
        if cell.count(",") == 1:
            asks = f"{what}: does the comma mark thousands or decimals?"
            two = (shown(cell.replace(",", mark), 20)[1:-1] for mark in ("", "."))
            return asks if private.is_private() else f"{asks} Write {' or '.join(two)}"
        return f"{what} is not read as a number; write digits and a decimal point only"
    if cell.startswith("="):
        return f"{what} is a formula; save the values"
    return f"{what} is not a number"
