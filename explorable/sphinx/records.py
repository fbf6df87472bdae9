"""What is kept of each executed page: of what it was made, what came of it, how long it took."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["Record", "load", "save"]

_FILE = "pages.json"


@dataclass(frozen=True)
class Record:
    """One execution of a page.

    Parameters
    ----------
    digest : str
        Of the page's code and of all that it can reach.
    panels : dict
        From each panel's name to its states and its size in bytes.
    seconds : float
        From the start of its kernel to the end.
    cores, beside : int
        The machine's cores, and how many pages were executed at the same time.
    """

    digest: str
    panels: dict[str, tuple[int, int]]
    seconds: float
    cores: int
    beside: int

    @property
    def states(self) -> int:
        """The states of all its panels."""
        return sum(states for states, _ in self.panels.values())

    @property
    def size(self) -> int:
        """The bytes of all its panels."""
        return sum(size for _, size in self.panels.values())


def load(folder: Path) -> dict[str, Record]:
    """Return the records of a cache's folder by page; none where there are none of this form."""
    try:
        found = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        return {name: Record(**record) for name, record in found.items()}
    except (AttributeError, FileNotFoundError, TypeError, ValueError):
        return {}


def save(folder: Path, records: dict[str, Record]) -> None:
    """Keep the records in a cache's folder, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    told = {name: asdict(record) for name, record in sorted(records.items())}
    part = folder / f"{_FILE}.part"
    part.write_text(json.dumps(told, indent=1), encoding="utf-8")
    part.replace(folder / _FILE)
