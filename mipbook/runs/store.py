"""Results of long runs that travel with the package, each with its settings inside."""

from __future__ import annotations

import io
import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mipbook.base import validate

__all__ = ["FOLDER", "StoredRun", "load", "names", "save"]

# Where the package keeps its own.
FOLDER = Path(__file__).with_name("stored")
# Long runs are stored to save time, not to fill the package.
_LIMIT = 200_000


class StoredRun(NamedTuple):
    """What a run found, and what it was run with.

    Attributes
    ----------
    settings : dict
        Everything that is needed to run it again, the seed included.
    arrays : dict
        From name to array.
    """

    settings: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def names(start: str = "") -> tuple[str, ...]:
    """Return the names of the stored runs.

    Parameters
    ----------
    start : str
        Only names that start with this.

    Notes
    -----
    ``python -m mipbook runs overfitting`` makes the runs of section 6.1 of the Limits paper.

    Examples
    --------
    >>> "overfitting_2a" in names("overfitting")
    True
    """
    if not isinstance(start, str):
        validate.refuse("start", start, "a string")
    return tuple(sorted(p.stem for p in FOLDER.glob("*.npz") if p.name.startswith(start)))


def load(name: str, folder: str | Path | None = None) -> StoredRun:
    """Return a stored run.

    Parameters
    ----------
    name : str
        One of `names`; in another folder the name of a file, without the ending.
    folder : path, optional
        Where a command wrote it; the package's own folder if not given.

    Notes
    -----
    The arrays are shared between calls and cannot be written to.

    Examples
    --------
    >>> load("overfitting_2a").settings["n"]
    200
    """
    if folder is None:
        return _read(FOLDER / f"{validate.choice('name', name, names())}.npz")
    path = validate.path("folder", folder) / f"{validate.text('name', name)}.npz"
    if not path.is_file():
        made = f"a folder into which python -m mipbook runs wrote {path.name}"
        validate.refuse("folder", str(folder), made)
    return _read(path)


@lru_cache(maxsize=32)
def _read(path: Path) -> StoredRun:
    with np.load(path, allow_pickle=False) as opened:
        arrays = {key: opened[key] for key in opened.files}
    settings = json.loads(str(arrays.pop("settings")))
    for array in arrays.values():
        array.flags.writeable = False
    return StoredRun(settings, arrays)


def save(folder: str | Path, name: str, settings: dict[str, Any], **arrays: Any) -> Path:
    """Write a run into a folder, compressed, with its settings.

    Parameters
    ----------
    folder : path
        Where to; it must exist.
    name : str
        The run's name, without the ending.
    settings : dict
        Anything that JSON can hold.
    **arrays
        The arrays to keep.

    Raises
    ------
    ValueError
        If the folder does not exist, or the file would be 200 kB or more.

    Notes
    -----
    The same arrays give the same file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     save(place, "tiny", {"seed": 0}, x=np.arange(3)).name
    'tiny.npz'
    """
    place = Path(folder)
    if not place.is_dir():
        validate.refuse("folder", str(folder), "a folder that exists")
    packed = io.BytesIO()
    text = json.dumps(settings, sort_keys=True)
    np.savez_compressed(packed, settings=np.array(text), **arrays)
    size = len(packed.getvalue())
    if size >= _LIMIT:
        validate.refuse("arrays", size, f"smaller than {_LIMIT} bytes when compressed")
    target = place / f"{name}.npz"
    target.write_bytes(packed.getvalue())
    return target
