"""What a worker process does: it holds the panels of the apps' notebooks, and computes their figures."""

import ast
import contextlib
import gzip
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from tqdm import tqdm

from explorable import settings, validate
from explorable.panels import Explorable
from explorable.panels.controls import Control
from explorable.panels.reply import SECONDS, reply

resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows
    resource = None

FOLDER = "EXPLORABLE_APPS"
# Answers are small and there are many: a little less work is worth a few bytes.
_COMPRESSION = 5


@dataclass(frozen=True)
class App:
    """An app, as data that a page can be made from.

    Attributes
    ----------
    title : str
        Its question.
    parts : tuple of str or dict
        Its Markdown cells and its panels, in order; a panel is what the script needs to draw it.
    controls : dict
        For each panel its controls, by name.
    """

    title: str
    parts: tuple[str | dict[str, Any], ...]
    controls: dict[str, dict[str, Control]]


def title(cells: Iterable[Mapping[str, Any]], otherwise: str) -> str:
    """Return the first heading of a notebook's cells.

    Parameters
    ----------
    cells : iterable of mapping
        The cells, each with its ``source``, text or lines.
    otherwise : str
        What stands in for a missing heading.

    Returns
    -------
    str
        The heading, without its mark.

    Examples
    --------
    >>> title([{"source": "# Who was in the data?"}], "app")
    'Who was in the data?'
    """
    lines = [line for cell in cells for line in "".join(cell["source"]).splitlines()]
    return next((line[2:].strip() for line in lines if line.startswith("# ")), otherwise)


def _shown(code: str, names: dict[str, Any], where: str) -> Explorable | None:
    """Run a cell, as a notebook does, and return the panel that it shows."""
    body = ast.parse(code, where).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), where, "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    found = eval(compile(ast.Expression(last.value), where, "eval"), names)
    if not isinstance(found, Explorable):
        allowed = f"a cell that shows a panel; {settings.book().command} apps shows notebooks of any kind"
        validate.refuse("folder", where, allowed)
    return found


def _parts(path: Path) -> list[str | Explorable]:
    names: dict[str, Any] = {"__name__": "__main__"}
    parts: list[str | Explorable] = []
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"], 1):
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
        elif cell["cell_type"] == "code":
            panel = _shown(text, names, f"{path.name}, cell {number}")
            parts.extend([panel] if panel else [])
    return parts


def read_app(path: Path) -> App:
    """Return what the page of an app needs.

    Parameters
    ----------
    path : pathlib.Path
        The notebook; its code is run.

    Raises
    ------
    ValueError
        If a cell shows something else than a panel, or two panels have one name.
    """
    found = _parts(path)
    names = [part.name for part in found if isinstance(part, Explorable)]
    for name in names:
        if names.count(name) > 1:
            validate.refuse("folder", path.name, f"an app whose panels have names; two are {name}")
    parts = [p if isinstance(p, str) else {**p.describe(live=True), "face": "http"} for p in found]
    words = [{"source": part} for part in parts if isinstance(part, str)]
    controls = {part.name: part.controls for part in found if isinstance(part, Explorable)}
    return App(title(words, path.stem), tuple(parts), controls)


def described(folder: str) -> dict[str, App]:
    """Return all apps of a folder, by name.

    Parameters
    ----------
    folder : str
        Where the notebooks lie.
    """
    return {path.stem: read_app(path) for path in sorted(Path(folder).glob("*.ipynb"))}


@cache
def kept_panels(folder: str) -> dict[tuple[str, str], Explorable]:
    """Return the panels of all apps of a folder, by the app's and their own name."""
    paths = sorted(Path(folder).glob("*.ipynb"))
    return {(p.stem, part.name): part for p in paths for part in _parts(p) if isinstance(part, Explorable)}


def limit_memory(megabytes: int) -> None:
    """Refuse this process more address space than this; it then gets a ``MemoryError``.

    Parameters
    ----------
    megabytes : int
        The most, at least 1.

    Examples
    --------
    >>> limit_memory(2**40)  # more than any machine has
    """
    size = validate.integer("megabytes", megabytes, 1, 2**40) * 2**20
    if resource is not None:
        now, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = size if now == resource.RLIM_INFINITY else min(size, now)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))  # macOS takes it and does not keep it


def stand_back(pid: int, steps: int = 5) -> None:
    """Let a process of ours wait for the server, and go first when memory is short.

    Parameters
    ----------
    pid : int
        The process.
    steps : int
        How far behind this one it is to stand.
    """
    if hasattr(os, "setpriority"):
        niceness = os.getpriority(os.PRIO_PROCESS, 0) + steps
        os.setpriority(os.PRIO_PROCESS, pid, min(niceness, 19))
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("500", encoding="ascii")


def begin(megabytes: int, seconds: float, own: bool = False) -> None:
    """Set the limits of a new worker.

    Parameters
    ----------
    megabytes : int
        The most memory that it may take.
    seconds : float
        The longest computation.
    own : bool
        Whether it reads files of readers' own: these wait for the moves of all others.
    """
    os.environ[SECONDS] = str(seconds)
    stand_back(os.getpid(), 15 if own else 5)
    limit_memory(megabytes)


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
    return text.startswith('{"figure"'), gzip.compress(text.encode(), _COMPRESSION, mtime=0)


def smallest(folder: str) -> bool:
    """Return whether the figure of a panel comes, as it stands at the start.

    Parameters
    ----------
    folder : str
        Where the notebooks lie.
    """
    return compute(folder, *next(iter(kept_panels(folder))), {})[0]


def warm(folder: str) -> None:
    """Load what the figures need and compute the first of each panel, before workers are made.

    Workers are copies of the process that did this: they start at once and share its memory.

    Parameters
    ----------
    folder : str
        Where the notebooks lie.
    """
    # A copy of a process with threads may wait for one that it has not got.
    tqdm.monitor_interval = 0
    for panel in kept_panels(folder).values():
        # What fails here fails again, with words, when it is asked for.
        with contextlib.suppress(Exception):
            panel.figure()


# The server names the folder only after it has loaded this: so it is known where workers are made.
if FOLDER in os.environ:
    # Without it no worker could start, so that nobody would be told what is wrong.
    with contextlib.suppress(Exception):
        warm(os.environ[FOLDER])
