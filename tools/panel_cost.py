"""What a panel costs to pack: ``python tools/panel_cost.py NAME``, a page's or a panel's.

A line for each panel: its states, the median and the slowest state in milliseconds of the
processor, the seconds of the whole packing, the kilobytes in the page; below it each layer's share,
the whole figure's where it is compared with its layers, and which state is the slowest.  Aims: a
median of 3 ms, no state over 50 ms, 2 s a panel.
"""

import gc
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from explorable import threads
from explorable.panels import Explorable, static

sys.path.append(str(Path(__file__).parents[1] / "tests"))
# The seconds of a state by its values, by the function that draws it.
Spent = dict[str, dict[str, float]]


def drawn(panel: Explorable) -> tuple[Spent, float, int]:
    """Pack a panel in this process; return each state's seconds, all seconds, and the bytes."""
    spent: Spent = defaultdict(dict)
    tree = static.state_tree

    def timed(function: Any, values: dict[str, Any]) -> dict[str, Any]:
        began = time.process_time()
        found = tree(function, values)
        told = ", ".join(f"{key}={value!r}" for key, value in values.items())
        # What is drawn again may be remembered; the first drawing is what the book pays.
        spent[function.__name__].setdefault(told, time.process_time() - began)
        return found

    panel.n_jobs = 1
    gc.freeze()  # else one state, whichever it is, pays for what all of the imports left
    began = time.process_time()
    tree(panel.function, panel.values)
    start = time.process_time() - began  # with the imports, which a page pays once
    static.state_tree = timed
    try:
        size = len(static.panel_html(panel))
    finally:
        static.state_tree = tree
    return dict(spent), time.process_time() - began - start, size


def lines(page: str, panel: Explorable) -> list[str]:
    """Return what to tell of a panel."""
    spent, seconds, size = drawn(panel)
    own = panel.function.__name__
    told = []
    for name, found in spent.items():
        total = sum(found.values())
        what = f"{name} (compared)" if name == own and len(spent) > 1 else name
        told.append(
            f"    {len(found):6} states {total:6.2f} s {100 * total / seconds:4.0f}%  "
            f"median {1000 * median(found.values()):5.1f} ms  {what}"
        )
    if len(spent) > 1:
        spent.pop(own, None)
    times = [(s, f"{name}({at})") for name, found in spent.items() for at, s in found.items()]
    slowest, where = max(times)
    head = (
        f"{page} {panel.name}: {len(times)} states, "
        f"median {1000 * median(s for s, _ in times):.1f} ms, max {1000 * slowest:.0f} ms, "
        f"{seconds:.1f} s, {size / 1000:.0f} kB"
    )
    return [head, *told, f"    slowest: {where}"]


def main(wanted: str) -> None:
    """Print the costs of the panels on the pages, or of the names, that hold a text."""
    from panels import panels

    threads.single()
    for page, found in panels().items():
        for panel in found:
            if wanted in f"{page} {panel.name} {panel.function.__name__}":
                print("\n".join(lines(page, panel)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
