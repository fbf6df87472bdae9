"""Every number that a figure tells is what another way gives, and of the kind that it must be."""

from __future__ import annotations

import importlib
import random

import again
import every_figure
import pytest

for part in ("game", "mip", "pmp", "mis", "together"):
    importlib.import_module(f"again_{part}")


@pytest.fixture(scope="module")
def more(request):
    """How many states are drawn at random, beside the corners."""
    return 25 if request.config.getoption("all") else 2


def states(subject, more):
    """Yield the corners of a figure's panels, and so many other states, with what each tells."""
    rng = random.Random(subject.function.__name__)
    stops = {name: control.stops for name, control in subject.controls.items()}
    corners = [values for panel in subject.shown() for values in every_figure.corners(panel)]
    others = [{name: rng.choice(each) for name, each in stops.items()} for _ in range(more)]
    seen = {repr(sorted(again.controls_of(subject.function, v).items())): v for v in corners + others}
    for values in seen.values():
        try:
            layers = tuple(every_figure.layers_of(subject.function, values))
        except ValueError:
            continue
        yield again.Shown(again.controls_of(subject.function, values), layers)


@pytest.mark.parametrize("name", sorted(every_figure.functions()))
def test_every_value_is_what_another_way_gives(name, more):
    found, let, slips = {}, set(), set()
    for shown in states(every_figure.subjects()[name], more):
        entries = again.must(name, shown)
        for line in again.wrong(shown.told, entries):
            found.setdefault(line.partition(":")[0], f"{dict(shown.controls)}: {line}")
        for slip, told in again.planted(shown.told):
            slips.add(slip)
            if not again.wrong(told, entries):
                let.add(slip)
            else: slips.add(slip+"+")
    assert not found, "\n".join(found.values())
    let = {s for s in slips if not s.endswith("+") and s + "+" not in slips}
    assert not let, "\n".join(sorted(let))
