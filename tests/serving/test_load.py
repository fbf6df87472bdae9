"""The slowest states that were found of the apps take little of the processor, each as if first.

``tools/slowest.py`` finds and stores them.
"""

import json
import time

import load
import pytest
from server import figure_server
from shared import ROOT, ran

pytestmark = pytest.mark.nightly

SEARCH = ROOT / "tools" / "slowest.py"
# Seconds of processor for a state on the machine where the known work takes `YARD`; a slower
# machine gets more, but never so much that five seconds would pass.
MOST, YARD, STILL = 2.0, 0.055, 2.4
# Both ends of both kinds of neighbours, for a run with little noise and rare batches.
LONGER = {"dpsgd/training-run": 2.4}


@pytest.fixture(scope="module")
def measured():
    """What a process without caches or threads of this one finds."""
    return json.loads(ran(SEARCH, "--again", check=True).stdout)


def test_every_panel_has_its_slowest_states(measured):
    from explorable.serve.entry import Moves
    from explorable.serve.worker import described

    apps = described(str(ROOT / "book" / "apps"))
    known = {
        f"{name}/{panel}": Moves(own) for name, app in apps.items() for panel, own in app.controls.items()
    }
    assert set(measured["states"]) == set(known)
    for name, states in load.SLOWEST.items():
        for state in states:
            known[name].read(json.dumps(state["values"]).encode())  # or the server refuses it


def test_the_slowest_states_take_less_than_two_seconds(measured):
    most = MOST * min(max(measured["yardstick"] / YARD, 1.0), STILL)
    slow = {
        name: [state for state in states if state["seconds"] > most * LONGER.get(name, 1)]
        for name, states in measured["states"].items()
    }
    assert not {name: states for name, states in slow.items() if states}, f"the limit is {most:g} s"


# --- A class that arrives together, in seconds; ``load.py`` beside this file is the long version


VISITORS, MOST_MEMORY = 30, 1000


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("load")
    with figure_server(ROOT / "book" / "apps", folder / "log", "--seconds", "5") as server:
        yield server


def test_thirty_who_arrive_together_take_less_than_two_seconds_of_a_core(server):
    seen, before = load.Seen(), load.cpu(server)
    for visitor in load.visitors(server, VISITORS, time.monotonic(), seen, 0):
        visitor.join(60)
    assert len(seen.ready) == VISITORS
    assert not seen.failures
    assert load.cpu(server) - before < 2
    assert load.memory(server) < MOST_MEMORY


def test_a_class_beside_a_hostile_visitor_and_a_dead_worker(server):
    seen, until = load.Seen(), time.monotonic() + 12
    crowd = load.visitors(server, VISITORS, until, seen, 0.5)
    hostile = load.Hostile(server, load.HEAVY_APP, load.Seen(), until, 1000)
    hostile.start()
    time.sleep(4)
    load.kill_a_worker(server)
    for visitor in crowd:
        visitor.join(60)
    assert not seen.failures
    moves = sum(map(len, seen.moves.values()))
    assert moves >= VISITORS
    assert load.memory(server) < MOST_MEMORY
    hostile.join(60)
    assert not hostile.is_alive()
    # It had what it asked for: long computations, at most one at a time.
    assert 1 <= len(hostile.seen.moves["hostile"]) <= 12
