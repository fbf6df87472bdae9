"""A table from a file on this computer, and a data frame as the text of one."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from explorable import private, validate
from explorable.tables.arrays import BINARY, arrays_of
from explorable.tables.cells import looks_numeric
from explorable.tables.named import cells_of, table_of
from explorable.tables.read import read_table
from explorable.tables.table import Table

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
            _refuse(place, "a file, and is a folder")
        if not place.is_file():
            _refuse(place, "a file that exists")
        if place.stat().st_size > _MOST:
            _refuse(place, f"a file of at most {_MOST:,} bytes")
        return place.read_bytes()
    except OSError as error:
        _refuse(place, f"a file that can be read ({error.strerror})")


def _refuse(place: Path, allowed: str) -> NoReturn:
    """Name the whole path: of a long one the end says most."""
    raise private.told(f"path = {str(place)!r}: must be {allowed}")


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
    return table_from(load_bytes(path), wanted)


def table_from(content: bytes, wanted: Collection[str] = ()) -> Table:
    """Return the table in a file's bytes, whatever kind of file it is."""
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
