"""Make stored runs: ``python -m mipbook runs pmp``, or ``... runs pmp_figure_1``.

A run that is stored with the settings of the code stands, unless ``--again`` is said; so an
interrupted command goes on with the first run that is missing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from explorable import progress
from mipbook.stored import store

__all__ = ["main"]


def _stands(path: Path, run: store.Run) -> bool:
    """Whether a file holds the run with the settings of the code."""
    if not path.is_file():
        return False
    with np.load(path, allow_pickle=False) as found:
        return bool(json.loads(str(found["settings"])) == json.loads(json.dumps(run.settings)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the runs that the command line names, with progress, and store them."""
    every = store.declared()
    parser = argparse.ArgumentParser(
        prog="python -m mipbook runs", description=__doc__, epilog="runs: " + ", ".join(every)
    )
    parser.add_argument("start", help="a run, or how the names of several start")
    parser.add_argument("--folder", type=Path, default=store.STORED, help="where to write")
    parser.add_argument("--again", action="store_true", help="also make what is stored already")
    given = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    chosen = [run for name, run in every.items() if name.startswith(given.start)]
    if not chosen:
        parser.error(f"start = {given.start!r}: must be how one of these starts: {', '.join(every)}")
    given.folder.mkdir(parents=True, exist_ok=True)
    with progress.reader() as stream:
        for run in progress.track(chosen, stream, total=len(chosen), what="runs", unit="runs"):
            path = given.folder / f"{run.name}.npz"
            if not given.again and _stands(path, run):
                print(f"{run.name}: stands; --again makes it anew")
                continue
            store.save(given.folder, run.name, run.settings, **run.make())
            print(f"{run.name}: {path.stat().st_size / 1000:.0f} kB")
