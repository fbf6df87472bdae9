"""What layers save: ``python tools/layer_costs.py``, a table of the ten largest panels.

In layers a panel is packed as the book packs it.  In one piece it would hold every combination of
its stops: of these some hundred, drawn at random, are packed, and their seconds and bytes taken
times the rest, an estimate within a fifth or so.  Seconds are the processor's, in one process.
"""

import math
import random
import sys
import time
from pathlib import Path
from typing import NamedTuple

from panel_cost import drawn

from explorable import threads
from explorable.panels import Explorable, static
from explorable.panels.pack import Packer

sys.path.append(str(Path(__file__).parents[1] / "tests"))
LARGEST, SAMPLE = 10, 400
HEAD = (
    "| Panel | Stops of its controls | States: one piece | layers | Seconds: one piece | layers "
    "| kB: one piece | layers |\n|---|---|---|---|---|---|---|---|"
)


class Cost(NamedTuple):
    """States, seconds and kilobytes."""

    states: int
    seconds: float
    size: float


def combinations(panel: Explorable) -> int:
    """Count the states of a panel in one piece."""
    return math.prod(len(control.stops) for control in panel.controls.values())


def in_layers(panel: Explorable) -> Cost:
    """Pack a panel as the book does."""
    spent, seconds, size = drawn(panel)
    own = spent.pop(panel.function.__name__, {}) if len(spent) > 1 else {}
    return Cost(sum(map(len, spent.values())), seconds - sum(own.values()), size / 1000)


def in_one_piece(panel: Explorable) -> Cost:
    """Pack some states of the whole figure, and take them for all."""
    draw, packer, states = random.Random(0), Packer(), combinations(panel)
    static.state_tree(panel.function, panel.values)
    began = time.process_time()
    for _ in range(SAMPLE):
        values = {name: draw.choice(control.stops) for name, control in panel.controls.items()}
        packer.add(static.state_tree(panel.function, values))
    size = len(packer.finish())
    times = states / SAMPLE
    return Cost(states, times * (time.process_time() - began), times * size / 1000)


def line(panel: Explorable) -> str:
    """Return a panel's line of the table."""
    layers, whole = in_layers(panel), in_one_piece(panel)
    stops = " x ".join(str(len(control.stops)) for control in panel.controls.values())
    numbers = (
        *(f"{whole.states:,}", f"{layers.states:,}", f"{whole.seconds:,.0f}"),
        *(f"{layers.seconds:.1f}", f"{whole.size:,.0f}", f"{layers.size:,.0f}"),
    )
    return f"| {panel.name} | {stops} | " + " | ".join(numbers) + " |"


def main() -> None:
    """Print the table."""
    from panels import panels

    threads.single()
    known = {each.name: each for found in panels().values() for each in found}
    print(HEAD)
    for panel in sorted(known.values(), key=combinations, reverse=True)[:LARGEST]:
        print(line(panel), flush=True)


if __name__ == "__main__":
    main()
