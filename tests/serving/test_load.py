"""A class that arrives together, and the slowest states that were found of the apps.

``tools/slowest.py`` finds and stores these; here each takes little of the processor, as if first.
"""

import contextlib
import http.client
import json
import random
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
from server import figure_server
from shared import ROOT, ran
from slowest import stored
from wire import ask, family, files_of, post, specs_of, workers

from explorable.serve.entry import Moves
from explorable.serve.worker import described

pytestmark = pytest.mark.nightly

APPS = ROOT / "book" / "apps"
NAMES = sorted(path.stem for path in APPS.glob("*.ipynb"))
# Seconds of processor for a state on the machine where the known work takes `YARD`; a slower
# machine gets more, but never so much that five seconds would pass.
MOST, YARD, STILL = 2.0, 0.055, 2.4
# Both ends of both kinds of neighbours, for a run with little noise and rare batches.
LONGER = {"dpsgd/training-run": 2.4}


def test_every_panel_has_its_slowest_states_and_they_take_less_than_two_seconds():
    # By a process without caches or threads of this one.
    measured = json.loads(ran(ROOT / "tools" / "slowest.py", "--again", check=True).stdout)
    apps = described(str(APPS)).items()
    known = {f"{name}/{panel}": Moves(own) for name, app in apps for panel, own in app.controls.items()}
    assert set(measured["states"]) == set(known)
    for name, states in stored().items():
        for state in states:
            known[name].read(json.dumps(state["values"]).encode())  # or the server refuses it
    most = MOST * min(max(measured["yardstick"] / YARD, 1.0), STILL)
    for name, states in measured["states"].items():
        slow = [state for state in states if state["seconds"] > most * LONGER.get(name, 1)]
        assert not slow, f"{name}: the limit is {most:g} s"


VISITORS, MOST_MEMORY = 30, 1000
# The longest that the app which computes most accepts: 2,000 records of 20 columns.
HEAVY = "/figure/choose-epsilon/choose-lab"


def own(seed):
    """Everybody's own address, and this machine's all the same."""
    return {"source": f"127.1.{seed // 250}.{seed % 250 + 1}", "X_Mipbook_Visit": f"visitor{seed}"}


def visit(server, until, seed):
    """Open an app with all that its page loads, then move its controls; return the moves, each answered."""
    app, draw = NAMES[seed % len(NAMES)], random.Random(seed)
    page = ask(server, f"/app/{app}", **own(seed)).text
    panels, moves = list(specs_of(page).items()), 0

    def figure(panel, values):
        """Ask for a figure as the page does: again while there is no room or no server."""
        path, status = f"/figure/{app}/{panel}", 0
        for _ in range(40):
            with contextlib.suppress(OSError, http.client.HTTPException):
                status = post(server, values, path, **own(seed)).status
            if status not in {0, 429, 502, 503, 504}:
                break
            time.sleep(0.5)
        assert status == 200, path

    for address in files_of(page):
        ask(server, address, Accept_Encoding="gzip", **own(seed))
    for panel, spec in panels:
        figure(panel, {c["name"]: c["stops"][c["start"]] for c in spec["controls"]})
    while time.monotonic() < until:
        time.sleep(draw.uniform(0, 1))
        panel, spec = draw.choice(panels)
        values = {c["name"]: draw.choice(c["stops"]) for c in spec["controls"]}
        # Now and then to one of the slowest states that are known of a panel.
        slow = stored().get(f"{app}/{panel}")
        figure(panel, draw.choice(slow)["values"] if slow and draw.random() < 0.05 else values)
        moves += 1
    return moves


def attack(server, until):
    """Ask for the longest computations, each from a page of its own, and never wait; return how many."""
    draw, moves = random.Random(1000), 0
    rows = ([f"{draw.gauss(0, 1):.3f}" for _ in range(20)] for _ in range(2000))
    file = {"name": "x.csv", "text": "\n".join(map(",".join, rows)), "columns": {}}
    while time.monotonic() < until:
        with contextlib.suppress(OSError, http.client.HTTPException):
            post(server, {"file": file}, HEAVY, **own(1000) | {"X_Mipbook_Visit": f"hostile{moves}"})
        moves += 1
    return moves


def total(server, take):
    """The sum over the server and all that it started; one that has just ended takes nothing."""
    found = 0.0
    for process in (psutil.Process(server.process.pid), *family(server)):
        with contextlib.suppress(psutil.Error):
            found += take(process)
    return found


def memory(process):
    """What it takes, in megabytes; what several share counts once."""
    return process.memory_full_info().pss / 1e6


def seconds(process):
    """The seconds of processor that it took, and those that it started and that ended."""
    return sum(process.cpu_times())


def arrived(threads, server, until):
    return [threads.submit(visit, server, until, seed) for seed in range(VISITORS)]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with figure_server(APPS, tmp_path_factory.mktemp("load") / "log", "--seconds", "5") as server:
        yield server


def test_thirty_who_arrive_together_take_less_than_two_seconds_of_a_core(server):
    before = total(server, seconds)
    with ThreadPoolExecutor(VISITORS) as threads:
        crowd = arrived(threads, server, time.monotonic())
    assert [visitor.result() for visitor in crowd] == [0] * VISITORS
    assert total(server, seconds) - before < 2
    assert total(server, memory) < MOST_MEMORY


def test_a_class_beside_a_hostile_visitor_and_a_dead_worker(server):
    until = time.monotonic() + 12
    with ThreadPoolExecutor(VISITORS + 1) as threads:
        crowd, hostile = arrived(threads, server, until), threads.submit(attack, server, until)
        time.sleep(4)
        # End the one that works most, as a machine does without memory.
        max(workers(server), key=seconds).kill()
        assert sum(visitor.result() for visitor in crowd) >= VISITORS
        # What the hostile visitor computes takes room, too.
        assert total(server, memory) < 1.4 * MOST_MEMORY
    # It had what it asked for: long computations, at most one at a time.
    assert 1 <= hostile.result() <= 12
