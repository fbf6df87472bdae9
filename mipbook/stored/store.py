"""Results of long runs that travel with the package: one format, one loader.

A study (`studies/` in the repository) makes a run and stores what it found with its settings
inside. What reads a run says which settings that relies on; a file that was stored with others is
refused, so that nothing is shown that the code would not find.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate

Arrays = dict[str, NDArray[Any]]
STORED = Path(__file__).with_name("arrays")


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


def names() -> tuple[str, ...]:
    """Return the names of the stored runs.

    Examples
    --------
    >>> "overfitting_2a" in names()
    True
    """
    return tuple(sorted(path.stem for path in STORED.glob("*.npz")))


def _alike(stored: Any, wanted: Any) -> bool:
    """Whether settings are the same; processors round powers differently, in the last digits."""
    if isinstance(wanted, list):
        return isinstance(stored, list) and len(stored) == len(wanted) and all(map(_alike, stored, wanted))
    if isinstance(wanted, float) and isinstance(stored, float):
        return math.isclose(stored, wanted, rel_tol=1e-12)
    return bool(stored == wanted)


def load(name: str, settings: Mapping[str, Any] | None = None) -> StoredRun:
    """Return a stored run; its arrays are shared between calls and cannot be written to.

    Parameters
    ----------
    name : str
        One of `names`.
    settings : mapping, optional
        Those that the caller relies on, all or some of the run's.

    Raises
    ------
    ValueError
        For an unknown name, and for a file that was stored with other settings.

    Examples
    --------
    >>> load("overfitting_2a").settings["n"]
    200
    """
    run = _load(validate.choice("name", name, _listed(STORED, STORED.stat().st_mtime_ns)))
    if settings is not None and not isinstance(settings, Mapping):
        validate.refuse("settings", settings, "a mapping, or None")
    wanted = json.loads(json.dumps(dict(settings or {})))
    if not all(_alike(run.settings.get(key), value) for key, value in wanted.items()):
        mend = f"python -m mipbook runs {name} makes it again"
        told = f"a run that is stored with the settings of the code, {wanted}; {mend}"
        validate.refuse("name", f"{name}, stored with {run.settings}", told)
    return run


@lru_cache(maxsize=1)
def _listed(folder: Path, changed: int) -> tuple[str, ...]:
    """Return all names; looked up again where the folder changed."""
    return names()


@lru_cache(maxsize=64)
def _load(name: str) -> StoredRun:
    with np.load(STORED / f"{name}.npz", allow_pickle=False) as opened:
        arrays = {key: opened[key] for key in opened.files}
    settings = json.loads(str(arrays.pop("settings")))
    for array in arrays.values():
        array.flags.writeable = False
    return StoredRun(settings, arrays)
