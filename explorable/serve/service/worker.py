"""What a worker process does: it holds the apps' panels, and computes their figures."""

from __future__ import annotations

import contextlib
import gzip
import os
from functools import cache
from pathlib import Path
from typing import Any

from explorable.limits import SECONDS, limit_memory, stand_back
from explorable.panels import Explorable
from explorable.panels.reply import reply
from explorable.serve.service.notebooks import App, panels, read_app

__all__ = ["begin", "compute", "described", "kept_panels", "smallest", "warm"]

# Answers are small and there are many: a little less work is worth a few bytes.
_COMPRESSION = 5


@cache
def kept_panels(folder: str) -> dict[tuple[str, str], Explorable]:
    """Return the panels of all apps of a folder, by the app's and their own name."""
    paths = sorted(Path(folder).glob("*.ipynb"))
    return {(p.stem, name): panel for p in paths for name, panel in panels(p).items()}


def described(folder: str) -> dict[str, App]:
    """Return all apps of a folder, by name.

    Parameters
    ----------
    folder : str
        Where the notebooks lie.
    """
    return {path.stem: read_app(path) for path in sorted(Path(folder).glob("*.ipynb"))}


def warm(folder: str) -> None:
    """Load what the figures need and compute the first of each panel, before workers are made.

    Workers are copies of the process that did this: they start at once and share its memory.

    Parameters
    ----------
    folder : str
        Where the notebooks lie.
    """
    for panel in kept_panels(folder).values():
        # What fails here fails again, with words, when it is asked for.
        with contextlib.suppress(Exception):
            panel.figure()


def begin(megabytes: int, seconds: float, scheduler: str, own: bool = False) -> None:
    """Set the limits of a new worker.

    Parameters
    ----------
    megabytes : int
        The most memory that it may take.
    seconds : float
        The longest computation.
    scheduler : str
        The address of a Dask scheduler for sweeps, or nothing.
    own : bool
        Whether it reads files of readers' own: these wait for the moves of all others.
    """
    os.environ[SECONDS] = str(seconds)
    stand_back(os.getpid(), 15 if own else 5)
    limit_memory(megabytes)
    if scheduler:
        import joblib
        from distributed import Client

        Client(scheduler)
        joblib.parallel_config(backend="dask")


def smallest(folder: str) -> bool:
    """Return whether the figure of a panel comes, as it stands at the start.

    Parameters
    ----------
    folder : str
        Where the notebooks lie.
    """
    return reply(next(iter(kept_panels(folder).values())), {}).startswith('{"figure"')


def compute(folder: str, app: str, panel: str, values: dict[str, Any]) -> tuple[bool, bytes]:
    """Return whether a panel's answer is a figure, and the answer, compressed.

    Parameters
    ----------
    folder : str
        Where the notebooks lie.
    app, panel : str
        Which panel.
    values : dict
        The values of its controls.
    """
    text = reply(kept_panels(folder)[app, panel], values)
    is_figure = text.startswith('{"figure"')
    return is_figure, gzip.compress(text.encode(), _COMPRESSION, mtime=0)
