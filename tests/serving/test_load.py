"""A class that arrives together, in seconds; ``tests/benchmarks/load.py`` is the long version.

The machine may be busy with other tests, so the time that counts is the processor's.
"""

import sys
import time
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

import load
from server import Served, figure_server
from shared import ROOT

VISITORS, MOST_MEMORY = 30, 1000


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    log = tmp_path_factory.mktemp("load") / "log"
    server: Served = figure_server(ROOT / "book" / "apps", log, "--seconds", "5")
    try:
        server.wait()
        yield server
    finally:
        server.stop()


def test_thirty_who_arrive_together_take_less_than_two_seconds_of_a_core(server):
    seen, before = load.Seen(), load.cpu(server)
    for visitor in load.visitors(server, VISITORS, time.monotonic(), seen, 0):
        visitor.join(60)
    assert len(seen.ready) == VISITORS
    assert not seen.failures
    assert load.cpu(server) - before < 2
    assert load.memory(server) < MOST_MEMORY


def test_a_class_a_hostile_visitor_and_a_dead_worker(server):
    seen, until = load.Seen(), time.monotonic() + 4
    crowd = load.visitors(server, VISITORS, until, seen, 0.5)
    hostile = load.Hostile(server, load.HEAVY_APP, load.Seen(), until, 1000)
    hostile.start()
    time.sleep(2)
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
    assert 1 <= len(hostile.seen.moves["hostile"]) <= 4
