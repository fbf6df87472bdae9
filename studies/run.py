"""Make stored runs: ``python -m mipbook runs pmp``, or ``... runs pmp_figure_1``.

A run that is stored with the settings of the code stands, unless ``--again`` is said; so an
interrupted command goes on with the first run that is missing.
"""

import argparse
import io
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from explorable import progress, validate
from mipbook.stored.store import STORED, Arrays

# Long runs are stored to save time, not to fill the package.
_LIMIT = 200_000


@dataclass(frozen=True)
class Run:
    """A run as its study declares it.

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


def every() -> dict[str, Run]:
    """Return the runs of all studies, by name.

    Examples
    --------
    >>> every()["overfitting_2a"].settings["n"]
    200
    """
    files = sorted(Path(__file__).parent.glob("*.py"))
    studies = [
        import_module(f"studies.{path.stem}") for path in files if path.stem not in ("__init__", "run")
    ]
    return {run.name: run for study in studies for run in getattr(study, "RUNS", ())}


def told(cases: Any, what: str, unit: str) -> Iterable[Any]:
    """Yield the cases, with a progress bar.

    Examples
    --------
    >>> list(told((1, 2), "sums", "cases"))
    [1, 2]
    """
    yield from progress.track(cases, what=what, unit=unit)


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the runs that the command line names, with progress, and store them."""
    runs = every()
    parser = argparse.ArgumentParser(
        prog="python -m mipbook runs", description=__doc__, epilog="runs: " + ", ".join(runs)
    )
    parser.add_argument("start", help="a run, or how the names of several start")
    parser.add_argument("--folder", type=Path, default=STORED, help="where to write")
    parser.add_argument("--again", action="store_true", help="also make what is stored already")
    given = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    chosen = [run for name, run in runs.items() if name.startswith(given.start)]
    if not chosen:
        parser.error(f"start = {given.start!r}: must be how one of these starts: {', '.join(runs)}")
    given.folder.mkdir(parents=True, exist_ok=True)
    for run in told(chosen, "runs", "runs"):
        path = given.folder / f"{run.name}.npz"
        if not given.again and _stands(path, run):
            print(f"{run.name}: stands; --again makes it anew")
            continue
        save(given.folder, run.name, run.settings, **run.make())
        print(f"{run.name}: {path.stat().st_size / 1000:.0f} kB")


def _stands(path: Path, run: Run) -> bool:
    """Whether a file holds the run with the settings of the code."""
    if not path.is_file():
        return False
    with np.load(path, allow_pickle=False) as found:
        return bool(json.loads(str(found["settings"])) == json.loads(json.dumps(run.settings)))
