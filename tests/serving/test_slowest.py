"""The slowest states that were found of the apps take little of the processor, each as if first.

``tests/benchmarks/slowest.py`` finds and stores them.
"""

import json
import subprocess
import sys

import pytest
from shared import ROOT

SEARCH = ROOT / "tests" / "benchmarks" / "slowest.py"
# Seconds of processor for a state on the machine where the known work takes `YARD`; a slower
# machine gets more, but never so much that five seconds would pass.
MOST, YARD, STILL = 2.0, 0.055, 2.4


@pytest.fixture(scope="module")
def measured():
    """What a process without caches or threads of this one finds."""
    command = [sys.executable, str(SEARCH), "--again"]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def test_every_panel_has_its_slowest_states(measured):
    from explorable.serve.worker import described

    apps = described(str(ROOT / "book" / "apps"))
    known = {f"{name}/{panel}" for name, app in apps.items() for panel in app.controls}
    assert set(measured["states"]) == known


def test_the_slowest_states_take_less_than_two_seconds(measured):
    most = MOST * min(max(measured["yardstick"] / YARD, 1.0), STILL)
    slow = {
        name: [state for state in states if state["seconds"] > most]
        for name, states in measured["states"].items()
    }
    assert not {name: states for name, states in slow.items() if states}, f"the limit is {most:g} s"
