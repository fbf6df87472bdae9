"""What a page stores of a panel is what its figure function draws: every control, at some of its stops."""

from importlib import import_module
from itertools import product

import numpy as np
import pytest
import samples
from panels import BOOK, WITH_PANELS, panels
from unpacked import unpack

from explorable.panels.pack import plain
from explorable.panels.protocol import composed

WORDS, DRAWN = ("sentence", "alt", "headline"), {"x", "y", "z", "text", "customdata", "name"}


def states(spec, by_night):
    """Yield the start, and each control half-way and at its end; by night at and next to its first stop."""
    start = {c["name"]: c["stops"][c["start"]] for c in spec["controls"]}
    yield start
    for control in spec["controls"]:
        last = len(control["stops"]) - 1
        for i in sorted({last // 2, last, *((0, min(1, last)) if by_night else ())}):
            yield {**start, control["name"]: control["stops"][i]}


def stored(spec, blobs, off=0):
    """Return what reads a state out of the blobs; ``off`` by so many states, where that is planted."""
    stops = {c["name"]: c["stops"] for c in spec["controls"]}
    every = [
        {values: i for i, values in enumerate(product(*(map(repr, stops[n]) for n in names)))}
        for names in spec["layers"]
    ]

    def at(values):
        trees = [
            unpack(blob, (places[tuple(repr(values[n]) for n in names)] + off) % len(places))
            for names, blob, places in zip(spec["layers"], blobs, every, strict=True)
        ]
        errors = [tree for tree in trees if "error" in tree]
        return errors[0] if errors else composed(trees)

    return at


def drawn(spec, values):
    module, name = spec["function"].split(":")
    try:
        figure = getattr(import_module(module), name)(**values)
    except ValueError as error:
        return {"error": str(error)}
    return plain({key: part for key, part in figure.to_dict().items() if key != "frames"})


def alike(ours, theirs):
    """Say whether two values of a trace are the same, as near as a page stores them."""
    if isinstance(theirs, str):
        return bool(ours == theirs)
    if {np.asarray(each).dtype.kind for each in (ours, theirs)} - set("iuf"):
        return ours is not None and list(ours) == list(theirs)
    mine, other = np.asarray(ours, float), np.asarray(theirs, float)
    return mine.shape == other.shape and np.allclose(mine, other, rtol=2e-7, atol=0, equal_nan=True)


def differences(told, wanted):
    if "error" in told or "error" in wanted:
        if ("error" in told) != ("error" in wanted):
            yield f"{told.get('error', 'a picture')} for {wanted.get('error', 'a picture')}"
        return
    said, meant = (each["layout"]["meta"] for each in (told, wanted))
    yield from (f"{key}: {said.get(key)!r}" for key in WORDS if said.get(key) != meant.get(key))
    if len(told["data"]) != len(wanted["data"]):
        yield f"{len(told['data'])} traces for {len(wanted['data'])}"
        return
    for mine, other in zip(told["data"], wanted["data"], strict=True):
        for key in DRAWN & set(other):
            if not alike(mine.get(key), other[key]):
                yield f"{other.get('name')}.{key}"


@pytest.mark.parametrize("name", WITH_PANELS)
def test_what_is_stored_is_what_is_drawn(built_book, name, request):
    (own,) = (found for page, found in panels().items() if page.rpartition(".")[0] == name)
    faults, on_page = [], samples.panels_on(built_book / BOOK.name / f"{name}.html")
    assert len(on_page) == len(own)
    for spec, blobs in on_page:
        if spec.get("corners"):  # the tests of tables hold them against runs
            continue
        at, wrong = stored(spec, blobs), stored(spec, blobs, off=1)
        found = []
        for values in states(spec, request.config.getoption("all")):
            wanted = drawn(spec, values)
            faults += [f"{spec['id']} at {values}: {line}" for line in differences(at(values), wanted)]
            # One state that would be seen is enough.
            found = found or list(differences(wrong(values), wanted))
        assert found, f"{spec['id']}: a state beside its own would not be seen"
    assert not faults, "\n".join(faults[:20])


def test_every_page_with_panels_is_looked_at():
    assert sorted(page.rpartition(".")[0] for page in panels()) == WITH_PANELS
