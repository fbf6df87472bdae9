"""The slowest states that visitors may ask of the apps: ``python tools/slowest.py``.

For each panel it tries those that are known, the corners of all controls, then places of chance.  A
state's cost is what its answer takes of the processor in a fresh copy of a warm process, as a worker
of the server is: nothing that another state computed is at hand.  The slowest go into
``slowest.json`` beside this file, where the next search begins; `tests/serving/test_load.py` holds
them to a limit, and its visitors ask for them now and then.
"""

import argparse
import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, islice, product
from math import exp, log
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
APPS = str(ROOT / "book" / "apps")
STORED = Path(__file__).with_name("slowest.json")
KEPT = 3
# Seconds of processor after which a state is stopped; no server waits so long.
PATIENCE = 60
State = dict[str, Any]


@cache
def panels() -> dict[tuple[str, str], Any]:
    """Return all panels by app and name, once what they need is loaded, as a server does."""
    from explorable.serve.worker import kept_panels, warm

    warm(APPS)
    return kept_panels(APPS)


def stored() -> dict[str, list[State]]:
    """Return the slowest known states by "app/panel", each with its seconds and its values."""
    return json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}


def in_a_copy(work: Callable[[], Any]) -> float:
    """Return the seconds of processor that a copy of this process takes for some work."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
        work()
        os._exit(0)
    _, _, used = os.wait4(child, 0)
    return used.ru_utime + used.ru_stime


def cost(place: tuple[str, str], values: State) -> float:
    """Return the seconds of processor for the answer to one state."""
    from explorable.serve.worker import compute

    panels()
    return in_a_copy(lambda: compute(APPS, *place, values))


def yardstick() -> float:
    """Return the seconds of processor for known work: Python, numbers, a transform."""
    import numpy as np

    def work() -> None:
        rng = np.random.default_rng(0)
        for _ in range(20):
            total = sum(i * i % 7 for i in range(50_000))
            np.fft.irfft(np.fft.rfft(rng.random(1 << 16)) ** 2)
            np.sort(rng.random(50_000) + total)

    return min(in_a_copy(work) for _ in range(3))


def corners(controls: dict[str, Any], rng: random.Random) -> Iterator[State]:
    """Yield all combinations of ends and choices, shuffled."""
    ends = [c.stops if c.low is None else (c.low, c.high) for c in controls.values()]
    every = [dict(zip(controls, values, strict=True)) for values in product(*ends)]
    rng.shuffle(every)
    yield from every


def drawn(control: Any, rng: random.Random) -> Any:
    """Return a legal value of chance; where the stops grow by factors, by its logarithm."""
    if control.low is None:
        return rng.choice(control.stops)
    low, high = float(control.low), float(control.high)
    if low > 0 and high > 10 * low:
        return legal(control, exp(rng.uniform(log(low), log(high))))
    return legal(control, rng.uniform(low, high))


def legal(control: Any, value: float) -> Any:
    """Return what a visitor would type for it: whole where that is asked, else four digits."""
    value = min(max(float(f"{value:.4g}"), control.low), control.high)
    return round(value) if control.whole else value


def search(place: tuple[str, str], tries: int, seconds: float) -> list[State]:
    """Return the slowest states of a panel, the slowest first, as far as the time goes."""
    controls, rng = panels()[place].controls, random.Random(str(place))
    until, found = time.monotonic() + seconds, dict[str, tuple[float, State]]()
    known = (dict(each["values"]) for each in stored().get("/".join(place), []))
    by_chance = ({name: drawn(control, rng) for name, control in controls.items()} for _ in range(tries))
    for values in chain(known, islice(corners(controls, rng), tries), by_chance):
        told = {
            name: legal(control, values[name]) if control.low is not None else values[name]
            for name, control in controls.items()
        }
        if time.monotonic() < until:
            found[json.dumps(told)] = cost(place, told), told
    # A disturbance of the machine looks like a slow state, once.
    most = sorted(found.values(), key=lambda each: -each[0])[: 2 * KEPT]
    again = [(min(t, cost(place, values)), values) for t, values in most]
    again.sort(key=lambda each: -each[0])
    return [{"seconds": round(t, 2), "values": values} for t, values in again[:KEPT]]


def again() -> dict[str, list[State]]:
    """Return the stored states with the seconds that each takes now."""
    return {
        name: [{**known, "seconds": cost(tuple(name.split("/")), known["values"])} for known in each]
        for name, each in stored().items()
    }


def main() -> None:
    """Search as the command line asks, tell the slowest of each panel, and store them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=60, help="states of each of two kinds")
    parser.add_argument("--seconds", type=float, default=120, help="the longest for one panel")
    parser.add_argument("--only", default="", help="panels whose app/name contains this")
    parser.add_argument("--keep", action="store_true", help="store what is found")
    parser.add_argument("--again", action="store_true", help="print what the stored states take")
    options = parser.parse_args()
    if options.again:
        print(json.dumps({"yardstick": yardstick(), "states": again()}))
        return
    found = stored()
    for place in panels():
        name = "/".join(place)
        if options.only in name:
            found[name] = search(place, options.tries, options.seconds)
            print(f"{name:28} {found[name][0]['seconds']:6.2f} s {found[name][0]['values']}")
            sys.stdout.flush()
        if options.keep:
            text = json.dumps(found, indent=1, ensure_ascii=False)
            STORED.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    from explorable import threads

    threads.single()
    main()
