"""Results of long runs that travel with the package: one format, one loader.

A run is declared once, with its settings; what it found is stored beside the package's code
with the same settings inside. A file whose settings are not the declared ones is refused, so
that nothing is shown that the code would not find.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate

__all__ = ["STORED", "Run", "StoredRun", "declared", "load", "names", "save"]

STORED = Path(__file__).with_name("stored")
# Long runs are stored to save time, not to fill the package.
_LIMIT = 200_000
# The modules that declare runs, by how the names of the runs start.
_MODULES = {
    "accounting_lab": "mipbook.runs.accounting_lab",
    "attacked": "mipbook.audit.digits_attack",
    "accounting_noises": "mipbook.runs.accounting",
    "accounting_prices": "mipbook.runs.accounting",
    "audit": "mipbook.audit.examples",
    "canaries": "mipbook.audit.canaries.stored",
    "choose": "mipbook.choose.examples",
    "digit_sums": "mipbook.runs.digit_sums",
    "discretised": "mipbook.runs.discretised_examples",
    "few_shadows": "mipbook.runs.few_shadows",
    "ladder": "mipbook.runs.make_ladder",
    "other_tools": "mipbook.runs.other_tools.collect",
    "overfitting": "mipbook.runs.overfitting",
    "pmp": "mipbook.runs.pmp",
    "release": "mipbook.release.examples",
    "table1": "mipbook.runs.make_table1",
    "trained": "mipbook.runs.clip_noise",
}
Arrays = dict[str, NDArray[Any]]


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
    arrays: Arrays


@dataclass(frozen=True)
class Run:
    """A run as the code declares it.

    Attributes
    ----------
    name : str
        Of the file, without the ending.
    settings : dict
        What JSON can hold. A change of what is computed at the same settings is told by
        another ``version`` among them.
    make : callable
        Makes the arrays; it takes from seconds to minutes, with a progress bar.
    """

    name: str
    settings: dict[str, Any]
    make: Callable[[], Arrays]


def names(start: str = "") -> tuple[str, ...]:
    """Return the names of the stored runs that start so.

    Parameters
    ----------
    start : str
        How the names start; all of them if not given.

    Examples
    --------
    >>> "overfitting_2a" in names("overfitting")
    True
    """
    if not isinstance(start, str):
        validate.refuse("start", start, "a string")
    return tuple(sorted(p.stem for p in STORED.glob("*.npz") if p.stem.startswith(start)))


def declared(start: str = "") -> dict[str, Run]:
    """Return the runs that the code declares, by name, of those whose names start so.

    Parameters
    ----------
    start : str
        How the names start; all of them if not given.

    Examples
    --------
    >>> declared("overfitting_2a")["overfitting_2a"].settings["n"]
    200
    """
    if not isinstance(start, str):
        validate.refuse("start", start, "a string")
    modules = [m for key, m in _MODULES.items() if start.startswith(key) or key.startswith(start)]
    runs = [run for module in modules for run in import_module(module).RUNS]
    return {run.name: run for run in runs if run.name.startswith(start)}


def load(name: str) -> StoredRun:
    """Return a stored run; its arrays are shared between calls and cannot be written to.

    Parameters
    ----------
    name : str
        One of `names`.

    Raises
    ------
    ValueError
        For an unknown name, and for a file whose settings are not those of the code.

    Examples
    --------
    >>> load("overfitting_2a").settings["n"]
    200
    """
    return _load(validate.choice("name", name, names()))


@lru_cache(maxsize=64)
def _load(name: str) -> StoredRun:
    with np.load(STORED / f"{name}.npz", allow_pickle=False) as opened:
        arrays = {key: opened[key] for key in opened.files}
    stored = json.loads(str(arrays.pop("settings")))
    run = declared(name).get(name)
    if run is not None and stored != json.loads(json.dumps(run.settings)):
        mend = f"python -m mipbook runs {name} makes it again"
        told = f"a run that is stored with the settings of the code, {run.settings}; {mend}"
        validate.refuse("name", f"{name}, stored with {stored}", told)
    for array in arrays.values():
        array.flags.writeable = False
    return StoredRun(stored, arrays)


def save(folder: str | Path, name: str, settings: dict[str, Any], **arrays: Any) -> Path:
    """Write a run into a folder, compressed, with its settings; return the file.

    The same arrays give the same file.

    Parameters
    ----------
    folder : path
        Where to; it must exist.
    name : str
        The run's name, without the ending.
    settings : dict
        Anything that JSON can hold.
    **arrays
        The arrays to keep; together less than 200 kB when compressed.

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
    # There whole or not at all, also when it is interrupted.
    part = target.with_suffix(".part")
    part.write_bytes(packed.getvalue())
    part.replace(target)
    return target
