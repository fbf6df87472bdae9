"""Read a file, named arrays or a data frame into a table: what separates, which row holds the names."""

import base64
import binascii
import csv
import io
import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.tables.cells import (
    BINARY,
    MEND,
    arrays_of,
    counted,
    is_missing,
    listed,
    looks_numeric,
    refuse,
)
from explorable.tables.table import Table, distinct

_SAMPLE, _MOST_COLUMNS = 20, 1000
# How a browser hands over a file that is no text.
_BINARY = re.compile(r"data:[\w/.+-]*;base64,")
_CSV_TROUBLE = {
    "unexpected end of data": 'a quote (") is opened and never closed',
    "field larger": "a cell is longer than 131,072 characters, so this is hardly a table",
    "expected after": 'something stands after a closing quote (")',
}

# A browser hands over bytes that are no UTF-8 as the replacement character.
_LOST = "\ufffd"
_BEGINNINGS = (
    (r"PK[\x03\x05]", "an Excel file or another zip archive"),
    (rf"{_LOST}[\x02-\x05]", "a pickle, and reading one would run what somebody wrote into it"),
    (rf"{_LOST}{_LOST}\x11\u0871|ÐÏ\x11à", "an Excel file of the old kind"),
    (r"%PDF", "a PDF file"),
    (rf"[{_LOST}\x89]PNG", "a PNG picture"),
    (rf"[{_LOST}ÿ][{_LOST}Ø][{_LOST}ÿ].{{0,6}}(JFIF|Exif)", "a JPEG picture"),
    (r"GIF8[79]a", "a GIF picture"),
    (rf"{_LOST}{_LOST}(?s:.?\0)", "text in UTF-16"),
    (r"\{\\rtf", "a text with formats (RTF)"),
    (r"(?i:<(!doctype|\?xml|!--|(html|head|body|table|svg)\b))", "a web page or XML"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")


def _lines(content: str) -> Iterator[str]:
    # Only this way do \r, \n and \r\n end a line and nothing else, as in an editor.
    return iter(io.StringIO(content, newline=""))


def _separator(content: str) -> str:
    """Return what separates cells, judged by the first rows that are not empty."""
    sample = list(islice((line for line in _lines(content) if line.strip()), _SAMPLE))
    bare = [re.sub(r'"[^"]*"', '""', line) for line in sample]
    present = [mark for mark in "\t;," if mark in bare[0]]
    for mark in present:
        if len({line.count(mark) for line in bare}) == 1:
            return mark
    if present:
        return present[0]
    words = [line.split() for line in bare]
    # "blood pressure" above a single column of numbers is one name.
    agree = len(words[0]) > 1 and len(set(map(len, words))) == 1
    blanks = agree or any(len(row) > 1 and all(map(looks_numeric, row)) for row in words)
    return " " if blanks else ","


def _rows(content: str, separator: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each row with its number, those that are empty without cells."""
    lines = _lines(content)
    if separator == " ":
        # A blank at the end of a row would be an empty cell.
        lines = (line.strip() + "\n" for line in lines)
    # strict refuses a quote that never ends instead of swallowing the rest of the file.
    reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=True)
    row = 1
    try:
        for cells in reader:
            stripped = tuple(map(str.strip, cells))
            yield row, stripped if any(stripped) else ()
            row = reader.line_num + 1
    except csv.Error as error:
        told = (words for sign, words in _CSV_TROUBLE.items() if sign in str(error))
        refuse(f"row {row}: {next(told, 'this is not readable as CSV')}")


def refuse_foreign(text: str) -> None:
    r"""Refuse a spreadsheet, a picture, a page and whatever else is no table of text.

    Parameters
    ----------
    text : str
        A file's content, decoded by a browser, which may have lost bytes.

    Raises
    ------
    ValueError
        Naming what the file is.

    Examples
    --------
    >>> refuse_foreign("score,member\n")
    >>> refuse_foreign("%PDF-1.7")
    Traceback (most recent call last):
    ValueError: This is a PDF file; save it as CSV (comma separated, UTF-8) and choose that.
    """
    beginning = text[:1000].lstrip("\ufeff \t\r\n")
    for pattern, what in _BEGINNINGS:
        if re.match(pattern, beginning):
            refuse(f"This is {what}; {MEND}")
    if _CONTROL.search(text):
        refuse(f"This is no text file; {MEND}")


def read_table(text: str, wanted: Collection[str] = ()) -> Table:
    r"""Read a table from the content of a file.

    Commas, semicolons, tabs or blanks separate; where semicolons do, a comma is the decimal
    point.  The first row holds the names if no cell of it is a number.  JSON with a list for
    each name is a table too, and so are the arrays that NumPy saves.

    Parameters
    ----------
    text : str
        The file's content; of a file that is no text its *data URL*, as a browser hands it over.
    wanted : collection of str
        Titles, in small letters: where lists differ in length, those called so hold the records.

    Raises
    ------
    ValueError
        For something that is no text, no table or no table with records, and for a row with
        more or fewer cells than the first, with its number.

    Examples
    --------
    >>> read_table("age;weight\n1,5;2\n").describe()
    '1 record, 2 columns (age, weight), first row holds the names'
    """
    if not isinstance(text, str):
        validate.refuse("text", text, "the content of a file, a string")
    wanted = validate.sequence("wanted", wanted, "titles")
    if not all(isinstance(title, str) for title in wanted):
        validate.refuse("wanted", wanted, "a list of titles")
    if binary := _BINARY.match(text[:100]):
        try:
            content = base64.b64decode(text[binary.end() :], validate=True)
        except binascii.Error:
            refuse("The file arrived damaged; choose it once more.")
        return table_of(arrays_of(content), "arrays of NumPy", wanted)
    named = arrays_of_json(text.lstrip("\ufeff \t\r\n"))
    if named is not None:
        return table_of(named, "lists of JSON", wanted)
    refuse_foreign(text)
    # A spreadsheet's mark at the start of the file is not part of the first cell.
    plain = text.lstrip("\ufeff")
    if not plain.strip():
        refuse("The file is empty.")
    separator = _separator(plain)
    found = list(_rows(plain, separator))
    rows = [(row, cells) for row, cells in found if cells]
    if not rows:
        refuse("The file holds no cells that are not empty.")
    first, top = rows[0]
    width = len(top)
    if width > _MOST_COLUMNS:
        refuse(f"The file has {width:,} columns; at most {_MOST_COLUMNS:,} are read.")
    for row, cells in rows:
        if len(cells) != width:
            asks = separator == "," and len(cells) > width
            hint = "; if the comma is a decimal point, write a point" if asks else ""
            refuse(f"row {row} has {counted(len(cells), 'cell')}, row {first} has {width}{hint}")
    # No name is a number, and no row of names is all missing values.
    said = [cell for cell in top if cell]
    header = not any(map(looks_numeric, said)) and not all(map(is_missing, said))
    names = distinct(top, header)
    records = rows[1:] if header else rows
    if not records:
        refuse("The file holds a row of names and no records.")
    lines, body = zip(*records, strict=True)
    columns = tuple(zip(*body, strict=True))
    # A spreadsheet writes separators for columns that hold nothing at all.
    kept = [i for i, cells in enumerate(columns) if any(cells) or (header and top[i])]
    return Table(
        names=tuple(names[i] for i in kept),
        header=header,
        separator=separator,
        lines=lines,
        cells=tuple(columns[i] for i in kept),
        skipped=sum(not cells and row < lines[-1] for row, cells in found),
        titles=tuple(top[i].lower() if header else "" for i in kept),
    )


_MOST = 200_000_000
_FRAME = "a data frame, or a mapping from names to columns of one length, with a record at least"


def load_bytes(path: Any) -> bytes:
    """Return what a file holds, if it is one and not too large.

    Examples
    --------
    >>> load_bytes("no such file")
    Traceback (most recent call last):
    ValueError: path = 'no such file': must be a file that exists
    """
    place = validate.path("path", path)
    try:
        if place.is_dir():
            allowed = "a file, and is a folder"
        elif not place.is_file():
            allowed = "a file that exists"
        elif place.stat().st_size > _MOST:
            allowed = f"a file of at most {_MOST:,} bytes"
        else:
            return place.read_bytes()
    except OSError as error:
        allowed = f"a file that can be read ({error.strerror})"
    # The whole path: of a long one the end says most.
    validate.refuse_as("path", str(place), allowed)


def load_table(path: str | Path, wanted: Collection[str] = ()) -> Table:
    r"""Read a table from a file: CSV, JSON, or arrays that NumPy saved.

    Parameters
    ----------
    path : str or pathlib.Path
        Of at most 200 MB.
    wanted : collection of str
        As `read_table` takes it.

    Raises
    ------
    ValueError
        For a path that is no file, and for a file that is no table, a pickle above all, with
        the reason.

    Examples
    --------
    >>> import mipbook
    >>> load_table(Path(mipbook.__file__).parent / "results.csv").names[:2]
    ('id', 'source')
    """
    content = load_bytes(path)
    if content.startswith(BINARY):
        return table_of(arrays_of(content), "arrays of NumPy", wanted)
    marks = (b"\xff\xfe", b"\xfe\xff")
    encoding = "utf-16" if content.startswith(marks) and len(content) % 2 == 0 else "utf-8"
    return read_table(content.decode(encoding, errors="replace"), wanted)


def is_frame(value: Any) -> bool:
    """Tell whether something has columns with names: a data frame, a mapping, or such an array.

    Examples
    --------
    >>> is_frame({"score": [0.5]}), is_frame([0.5])
    (True, False)
    """
    if isinstance(value, np.ndarray):
        return value.dtype.names is not None
    return isinstance(value, Mapping) or (hasattr(value, "columns") and hasattr(value, "dtypes"))


def frame_text(frame: Any, name: str = "frame") -> str:
    r"""Return a data frame as the text of a CSV file, every number with all its digits.

    Parameters
    ----------
    frame : data frame, structured array or mapping of columns
        Of pandas, polars or another library: it has names of columns, and gives each by name.
    name : str
        What the caller calls it.

    Examples
    --------
    >>> frame_text({"score": [0.5, 1.5], "member": [True, False]})
    '"score","member"\n"0.5","1"\n"1.5","0"\n'
    """
    names = frame.dtype.names if isinstance(frame, np.ndarray) else getattr(frame, "columns", frame)
    try:
        told = [str(each) for each in names]
        columns = [
            # Neither an empty row nor a word of Python's.
            tuple("NA" if cell in ("", "nan") else cell for cell in cells_of(_column(frame[each])))
            for each in names
        ]
    except Exception:  # whatever a library's own lookup raises
        validate.refuse(name, frame, _FRAME)
    if not columns or len(set(map(len, columns))) != 1 or not columns[0]:
        validate.refuse(name, frame, _FRAME)
    stream = io.StringIO()
    writer = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
    # The first row is one of names only if no cell of it is a number.
    writer.writerow(f"column {each}" if looks_numeric(each) else each for each in told)
    writer.writerows(zip(*columns, strict=True))
    return stream.getvalue()


def _column(values: Any) -> NDArray[Any]:
    column = np.asarray(values)
    if column.ndim != 1:
        raise ValueError("a column is one list")
    return column


_MOST_RECORDS = 5_000_000
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
        if lone.shape[1] > _MOST_COLUMNS:
            refuse(f"The file has {lone.shape[1]:,} columns; at most {_MOST_COLUMNS:,} are read.")
        return _table({f"{i}": cells_of(column) for i, column in enumerate(lone.T)}, source, header=False)
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
