"""How long each test took when it last ran here, for `make check`, which has little time."""

import json
from collections.abc import Mapping
from pathlib import Path

FILE = Path("_build", "durations.json")


def load(root: Path) -> dict[str, float]:
    """Return the seconds of each test by its id."""
    path = root / FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def remember(root: Path, seconds: Mapping[str, float]) -> None:
    """Keep the seconds of the tests that ran, beside those of the others."""
    path = root / FILE
    if path.parent.is_dir():
        known = load(root) | {nodeid: round(spent, 2) for nodeid, spent in seconds.items()}
        part = path.with_suffix(".part")
        part.write_text(json.dumps(known, indent=0), encoding="utf-8")
        part.replace(path)
