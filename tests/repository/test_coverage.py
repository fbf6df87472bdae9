"""The floor of coverage only rises."""

import tomllib

from shared import ROOT

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["coverage"]
FLOORS = ROOT / "tests" / "data" / "coverage_floors.txt"


def test_the_floor_only_rises():
    """Whoever raises it adds a line; no line is ever taken away or lowered."""
    text = FLOORS.read_text(encoding="utf-8")
    floors = [float(line) for line in text.splitlines() if not line.startswith("#")]
    assert floors
    assert floors == sorted(set(floors)), f"{FLOORS.name}: each line must be above the one before"
    assert CONFIG["report"]["fail_under"] == floors[-1], f"add the new floor to {FLOORS.name}"
