"""NumPy's own files, .npy and .npz, as arrays with names; nothing in them is ever run."""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from explorable.tables.cells import MEND, refuse, shown

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
