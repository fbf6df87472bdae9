"""A class that arrives together, and the slowest states that were found of the apps.

``tools/slowest.py`` finds and stores these; here each takes little of the processor, as if first.
"""

import contextlib
import http.client
import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import psutil
import pytest
from server import Served, figure_server
from shared import ROOT, ran
from slowest import stored
from wire import ask, post, specs_of

pytestmark = pytest.mark.nightly

SEARCH = ROOT / "tools" / "slowest.py"
APPS = sorted(path.stem for path in (ROOT / "book" / "apps").glob("*.ipynb"))
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
    for name, states in stored().items():
        for state in states:
            known[name].read(json.dumps(state["values"]).encode())  # or the server refuses it


def test_the_slowest_states_take_less_than_two_seconds(measured):
    most = MOST * min(max(measured["yardstick"] / YARD, 1.0), STILL)
    slow = {
        name: [state for state in states if state["seconds"] > most * LONGER.get(name, 1)]
        for name, states in measured["states"].items()
    }
    assert not {name: states for name, states in slow.items() if states}, f"the limit is {most:g} s"


# --- Visitors -------------------------------------------------------------------------------------

VISITORS, MOST_MEMORY = 30, 1000
# The longest that the app which computes most accepts: 2,000 records of 20 columns.
HEAVY = "/figure/choose-epsilon/choose-lab"


@dataclass
class Seen:
    """What the visitors met."""

    ready: int = 0
    moves: int = 0
    failures: list[str] = field(default_factory=list)


class Visitor(threading.Thread):
    """Opens an app with all that its page loads, then moves its controls."""

    def __init__(self, server: Served, seen: Seen, until: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.server, self.seen, self.until = server, seen, until
        self.app, self.random = APPS[seed % len(APPS)], random.Random(seed)
        # Everybody's own address, and this machine's all the same.
        self.own = {"source": f"127.1.{seed // 250}.{seed % 250 + 1}", "X_Mipbook_Visit": f"visitor{seed}"}

    def figure(self, panel: str, values: dict) -> None:
        """Ask for a figure as the page does: again while there is no room or no server."""
        status = 0
        for _ in range(40):
            with contextlib.suppress(OSError, http.client.HTTPException):
                status = post(self.server, f"/figure/{self.app}/{panel}", values, **self.own).status
            if status not in {0, 429, 502, 503, 504}:
                break
            time.sleep(0.5)
        if status != 200:
            self.seen.failures.append(f"{self.app}/{panel}: {status}")

    def run(self) -> None:
        """Arrive, then move; now and then to one of the slowest states that are known of a panel."""
        page = ask(self.server, f"/app/{self.app}", **self.own)
        specs = specs_of(page.body)
        for address in specs.files:
            ask(self.server, address, Accept_Encoding="gzip", **self.own)
        for panel, spec in specs.panels.items():
            self.figure(panel, {c["name"]: c["stops"][c["start"]] for c in spec["controls"]})
        self.seen.ready += page.status == 200
        while time.monotonic() < self.until:
            time.sleep(self.random.uniform(0, 1))
            panel, spec = self.random.choice(list(specs.panels.items()))
            values = {c["name"]: self.random.choice(c["stops"]) for c in spec["controls"]}
            slow = stored().get(f"{self.app}/{panel}")
            if slow and self.random.random() < 0.05:
                values = self.random.choice(slow)["values"]
            self.figure(panel, values)
            self.seen.moves += 1


class Hostile(Visitor):
    """Asks for the longest computations, each from a page of its own, and never waits."""

    def run(self) -> None:
        rows = ([f"{self.random.gauss(0, 1):.3f}" for _ in range(20)] for _ in range(2000))
        file = {"name": "x.csv", "text": "\n".join(map(",".join, rows)), "columns": {}}
        while time.monotonic() < self.until:
            self.own["X_Mipbook_Visit"] = f"hostile{self.random.random():.12f}".replace(".", "")
            with contextlib.suppress(OSError, http.client.HTTPException):
                post(self.server, HEAVY, {"file": file}, **self.own)
            self.seen.moves += 1


def total(server: Served, take: Callable[[psutil.Process], float]) -> float:
    """The sum over the server and all that it started; one that has just ended takes nothing."""
    own, found = psutil.Process(server.process.pid), 0.0
    for process in (own, *own.children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            found += take(process)
    return found


def memory(server: Served) -> float:
    """What they take, in megabytes; what they share counts once."""
    return total(server, lambda process: process.memory_full_info().pss / 1e6)


def cpu(server: Served) -> float:
    """The seconds of processor that they took, those that ended included."""
    return total(server, lambda process: sum(process.cpu_times()))


def kill_a_worker(server: Served) -> None:
    """End the one that works most, a child of the forkserver, as a machine does without memory."""
    children = psutil.Process(server.process.pid).children()
    workers = [worker for child in children for worker in child.children()]
    max(workers, key=lambda p: sum(p.cpu_times())).kill()


def arrived(server: Served, until: float) -> tuple[list[Visitor], Seen]:
    seen = Seen()
    crowd = [Visitor(server, seen, until, i) for i in range(VISITORS)]
    for visitor in crowd:
        visitor.start()
    return crowd, seen


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("load")
    with figure_server(ROOT / "book" / "apps", folder / "log", "--seconds", "5") as server:
        yield server


def test_thirty_who_arrive_together_take_less_than_two_seconds_of_a_core(server):
    before = cpu(server)
    crowd, seen = arrived(server, time.monotonic())
    for visitor in crowd:
        visitor.join(60)
    assert seen == Seen(ready=VISITORS)
    assert cpu(server) - before < 2
    assert memory(server) < MOST_MEMORY


def test_a_class_beside_a_hostile_visitor_and_a_dead_worker(server):
    until = time.monotonic() + 12
    crowd, seen = arrived(server, until)
    hostile = Hostile(server, Seen(), until, 1000)
    hostile.start()
    time.sleep(4)
    kill_a_worker(server)
    for visitor in crowd:
        visitor.join(60)
    assert not seen.failures
    assert seen.moves >= VISITORS
    assert memory(server) < MOST_MEMORY
    hostile.join(60)
    # It had what it asked for: long computations, at most one at a time.
    assert 1 <= hostile.seen.moves <= 12
