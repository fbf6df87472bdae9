"""A class at once: ``python tests/serving/load.py --seconds 600 --visitors 30``.

It starts ``python -m mipbook serve`` on this machine, sends visitors who arrive together and then
move controls for a while, and says how long they waited and what the server took.  It stops by
itself.  `test_load` lets a hostile visitor come beside the class.
"""

import argparse
import contextlib
import http.client
import json
import random
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import urlsplit

import psutil

HERE = Path(__file__).parents[1]
sys.path[:0] = [str(HERE / name) for name in ("browser", "", "../tools")]

from server import Served, figure_server  # noqa: E402
from shared import ROOT  # noqa: E402
from slowest import stored  # noqa: E402
from wire import specs_of  # noqa: E402

PAUSE = 0.5
# Now and then a visitor asks for one of the slowest states that are known of a panel.
SLOWEST, SELDOM = stored(), 0.05
# The longest that the app which computes most accepts: 2,000 records of 20 columns.
HEAVY_APP, HEAVY_PANEL = "choose-epsilon", "choose-lab"


@dataclass
class Seen:
    """What the visitors met."""

    ready: list[float] = field(default_factory=list)
    moves: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    retries: int = 0
    failures: list[str] = field(default_factory=list)

    def percentile(self, share: float, app: str | None = None) -> float:
        """The milliseconds within which this share of the moves was answered."""
        chosen = [app] if app else list(self.moves)
        values = sorted(t for name in chosen for t in self.moves[name])
        return 1000 * values[min(len(values) - 1, int(share * len(values)))]


class Visitor(threading.Thread):
    """Opens an app with all that its page loads, then moves its controls."""

    def __init__(
        self, server: Served, app: str, seen: Seen, until: float, seed: int, pause: float = PAUSE
    ) -> None:
        super().__init__(daemon=True)
        self.server, self.app, self.seen = server, app, seen
        self.until, self.pause, self.random = until, pause, random.Random(seed)
        self.page = f"visitor{seed}"
        # Everybody's own, and this machine's all the same.
        source = (f"127.1.{seed // 250}.{seed % 250 + 1}", 0)
        self.connection = http.client.HTTPConnection(
            "127.0.0.1", server.port, timeout=60, source_address=source
        )

    def ask(self, path: str, body: str | None = None) -> tuple[int, bytes]:
        """Ask on the one connection that this visitor has, which opens anew where it broke off."""
        headers = {"Accept-Encoding": "gzip", "X-Mipbook-Visit": self.page}
        if body is not None:
            headers["Content-Type"] = "application/json"
        method = "GET" if body is None else "POST"
        try:
            self.connection.request(method, urlsplit(self.server.url).path + path, body, headers)
            reply = self.connection.getresponse()
            return reply.status, reply.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            raise

    def figure(self, panel: str, values: dict) -> None:
        """Ask for a figure as the page does: again while there is no room or no server."""
        for _ in range(40):
            try:
                status, _ = self.ask(f"/figure/{self.app}/{panel}", json.dumps(values))
            except (OSError, http.client.HTTPException):
                status = 0
            if status == 200:
                return
            if status not in {0, 429, 502, 503, 504}:
                self.seen.failures.append(f"{self.app}/{panel}: {status}")
                return
            self.seen.retries += 1
            time.sleep(0.5)
        self.seen.failures.append(f"{self.app}/{panel}: no answer")

    def run(self) -> None:
        """Visit, and leave no connection behind."""
        with contextlib.closing(self.connection):
            self.visit()

    def visit(self) -> None:
        """Arrive, then move."""
        began = time.monotonic()
        status, page = self.ask(f"/app/{self.app}")
        specs = specs_of(page)
        for address in specs.files:
            self.ask(address)
        for panel, spec in specs.panels.items():
            self.figure(panel, {c["name"]: c["stops"][c["start"]] for c in spec["controls"]})
        self.seen.ready.append(time.monotonic() - began)
        if status != 200:
            self.seen.failures.append(f"{self.app}: {status}")
        while time.monotonic() < self.until:
            time.sleep(self.random.uniform(0, 2 * self.pause))
            panel, spec = self.random.choice(list(specs.panels.items()))
            values = {c["name"]: self.random.choice(c["stops"]) for c in spec["controls"]}
            slow = SLOWEST.get(f"{self.app}/{panel}")
            if slow and self.random.random() < SELDOM:
                values = self.random.choice(slow)["values"]
            began = time.monotonic()
            self.figure(panel, values)
            self.seen.moves[self.app].append(time.monotonic() - began)


class Hostile(Visitor):
    """Asks for the longest computations, each from a page of its own, and never waits."""

    def visit(self) -> None:
        rows = ([f"{self.random.gauss(0, 1):.3f}" for _ in range(20)] for _ in range(2000))
        text = "\n".join(map(",".join, rows))
        file = {"name": "x.csv", "text": text, "columns": {}}
        body = json.dumps({"file": file})
        while time.monotonic() < self.until:
            self.page = f"hostile{self.random.random():.12f}".replace(".", "")
            began = time.monotonic()
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.ask(f"/figure/{HEAVY_APP}/{HEAVY_PANEL}", body)
            self.seen.moves["hostile"].append(time.monotonic() - began)


def processes(server: Served) -> list[psutil.Process]:
    """The server and all that it started."""
    own = psutil.Process(server.process.pid)
    return [own, *own.children(recursive=True)]


def total(server: Served, take: Callable[[psutil.Process], float]) -> float:
    """The sum over the processes; one that has just ended takes nothing."""
    found = 0.0
    for process in processes(server):
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


def visitors(server: Served, count: int, until: float, seen: Seen, pause: float) -> list[Visitor]:
    """Send visitors, who arrive together and spread over the apps."""
    apps = sorted(path.stem for path in (ROOT / "book" / "apps").glob("*.ipynb"))
    all_of_them = [Visitor(server, apps[i % len(apps)], seen, until, i, pause) for i in range(count)]
    for visitor in all_of_them:
        visitor.start()
    return all_of_them


def main() -> None:
    """Run the load that the command line asks for, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--pause", type=float, default=PAUSE, help="between moves, on average")
    options = parser.parse_args()
    with figure_server(ROOT / "book" / "apps", Path(mkdtemp()) / "log") as server:
        seen, until, sizes = Seen(), time.monotonic() + options.seconds, list[float]()
        before = cpu(server)
        crowd = visitors(server, options.visitors, until, seen, options.pause)
        while time.monotonic() < until:
            time.sleep(min(5, options.seconds / 10))
            sizes.append(memory(server))
        for visitor in crowd:
            visitor.join(60)
        spent, moves = cpu(server) - before, sum(map(len, seen.moves.values()))
        slowest = max(seen.moves, key=lambda name: seen.percentile(0.95, name))
        third = max(1, len(sizes) // 3)
        print(
            f"{options.visitors} visitors ready after {max(seen.ready):.2f} s at most",
            f"{moves} moves, {seen.retries} asked again, failures: {seen.failures[:5]}",
            *(f"  {share:.0%} within {seen.percentile(share):.0f} ms" for share in (0.5, 0.95, 0.99)),
            f"  95% of {slowest} within {seen.percentile(0.95, slowest):.0f} ms",
            f"{1000 * spent / max(moves, 1):.1f} ms of processor a move",
            f"memory: first third {max(sizes[:third]):.0f} MB at most, last {max(sizes[-third:]):.0f}",
            sep="\n",
        )


if __name__ == "__main__":
    main()
