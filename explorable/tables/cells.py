"""Cells of a reader's file and NumPy's own files, as numbers; in the latter nothing is ever run."""

import io
import math
import re
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

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


MAGIC, PACKED = b"\x93NUMPY", b"PK"
# What an array, and a file once unpacked, may take: an archive of a kilobyte may hold terabytes.
_MOST = 200_000_000
_PICKLED = (
    "is a pickle, and reading a pickle runs whatever program somebody put into it. "
    "Write plain numbers: numpy.savez(file, scores=..., member=...), or CSV."
)
# How pickles begin: the protocols that are written today, and the oldest one.
_OLDEST = (b"(dp0", b"(lp0", b"ccopy_reg")
_PICKLES = (*(b"\x80" + bytes([p]) for p in range(2, 6)), *_OLDEST)
# How a file begins that is no text.
BINARY = (MAGIC, PACKED, b"\x80", *_OLDEST)


def arrays_of(content: bytes) -> dict[str, NDArray[Any]]:
    r"""Return the arrays in a file of NumPy's, by name; a lone one is called *array*.

    Parameters
    ----------
    content : bytes
        The file's content.

    Raises
    ------
    ValueError
        For a pickle, for arrays of Python objects, which are pickles too, for a damaged file
        with the array's name, and for one that unpacks to more than 200 MB.

    Examples
    --------
    >>> file = io.BytesIO()
    >>> np.save(file, np.array([0.5, 0.25]))
    >>> arrays_of(file.getvalue())
    {'array': array([0.5 , 0.25])}
    """
    if content.startswith(_PICKLES):
        refuse(f"This {_PICKLED}")
    if content.startswith(MAGIC):
        return {"array": _array("the file", content)}
    if not content.startswith(PACKED):
        refuse(f"This is no file of NumPy's; {MEND}")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _members(archive)
    except zipfile.BadZipFile:
        refuse(f"This is an Excel file or another zip archive, or a damaged one; {MEND}")


def _members(archive: zipfile.ZipFile) -> dict[str, NDArray[Any]]:
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if any(name.endswith(("data.pkl", ".pickle", ".pkl")) for name in names):
        refuse(f"This is an archive that holds a pickle (PyTorch writes them). It {_PICKLED}")
    if not names or not all(name.endswith(".npy") for name in names):
        refuse(f"This is an Excel file or another zip archive; {MEND}")
    if sum(entry.file_size for entry in entries) > _MOST:
        refuse(f"The file unpacks to more than {_MOST:,} bytes, the most that is read.")
    found = {}
    for entry in entries:
        name = entry.filename.removesuffix(".npy")
        try:
            content = archive.read(entry)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
            _damaged(f"array {shown(name)}")
        found[name] = _array(f"array {shown(name)}", content)
    return found


def _damaged(what: str) -> NoReturn:
    refuse(f"{what} is damaged or breaks off; write the file anew.")


def _array(what: str, content: bytes) -> NDArray[Any]:
    """Read one array; its head says how long it must be, and is believed only if it is."""
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        head = {(1, 0): np.lib.format.read_array_header_1_0}.get(version, np.lib.format.read_array_header_2_0)
        shape, by_column, kind = head(stream)
    except (ValueError, EOFError):
        _damaged(what)
    if kind.hasobject:
        refuse(f"{what} holds Python objects: it {_PICKLED}")
    if kind.names is not None or kind.kind not in "biufU":
        refuse(f"{what} holds neither numbers nor words; {MEND}")
    size = math.prod(shape)
    if min(shape, default=0) < 0 or len(content) - stream.tell() != size * kind.itemsize:
        _damaged(what)
    found = np.frombuffer(content, kind, count=size, offset=stream.tell())
    return found.reshape(shape, order="F" if by_column else "C")
