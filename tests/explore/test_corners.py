"""A table that answers any values by the corner on the safe side: in Python, and as the page does."""

import math
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from shared import refused
from test_javascript import page

from explorable.panels.corners import Axis, Corners, Told

SIZES, PARTS = (0.1, 0.25, 0.5, 1.0), (1, 2, 5, 10, 100)
TEXTS = tuple(str(value) for value in range(60))


def truth(size: float, part: float) -> float:
    """What the table bounds: more of both never tells less."""
    return 4 * size + 7 * math.log(part) + size * math.log(part)


def table() -> Corners:
    """Sizes are one number over another, parts whole; the numbers are places in `TEXTS`."""
    exact = np.array([[truth(size, part) for part in PARTS] for size in SIZES])
    high = np.ceil(exact).astype(np.int64)
    axes = {
        "size": Axis(("some",), SIZES, tuple(map(str, SIZES)), True, "more than all", ("all",)),
        "part": Axis(("part", "all"), PARTS, tuple(map(str, PARTS)), True, "too many", ("some",), True),
    }
    told = {"n": Told(("size", "part"), high, np.floor(exact).astype(np.int64), TEXTS, tuple(range(60)))}
    leaves = {("words", "n"): "{n.low} to {n}{of}", ("rows", 0): "{size}, {part}", ("y", 0, 0): "#n"}
    return Corners(axes, told, leaves, {"of": ""}, {"of": " of another"})


TREE: dict[str, Any] = {"words": {"n": ""}, "rows": ["", "stays"], "y": [[0]], "x": [1, 2]}


def drawn(count: int) -> list[dict[str, Any]]:
    draw = random.Random(4)
    some = [{"some": 5, "all": 10, "part": 1}, {"some": 10, "all": 10, "part": 5}]
    for _ in range(count):
        whole = draw.randint(1, 50)
        some.append({"some": draw.randint(1, 12), "all": whole, "part": draw.choice([0.5, 1, 3])})
    return some


def test_what_lies_on_a_point_is_told_of_it_and_what_lies_between_says_so():
    corners = table()
    exact = corners.texts({"some": 5, "all": 10, "part": 1})
    assert (exact["size"], exact["part"], exact["of"]) == ("0.5", "2", "")
    assert corners.texts({"some": 5, "all": 11, "part": 1})["of"] == " of another"


def test_what_lies_beyond_the_safe_end_is_refused_and_before_the_other_nothing_is_told():
    corners = table()
    refused("^more than all$", corners.texts, {"some": 11, "all": 10, "part": 1})
    refused("^too many$", corners.texts, {"some": 1, "all": 50, "part": 3})
    assert corners.texts({"some": 1, "all": 50, "part": 1})["n.low"] == "0"
    short = replace(corners.told["n"], texts=TEXTS[: corners.told["n"].high.max() + 1], beyond="no answer")
    refused("^no answer$", replace(corners, told={"n": short}).texts, {"some": 10, "all": 10, "part": 99})


@pytest.mark.parametrize("up", [True, False])
def test_the_page_answers_as_python_does_and_the_truth_lies_between_the_two_corners(up):
    corners, every = table(), drawn(400)
    corners = replace(corners, axes={**corners.axes, "size": replace(corners.axes["size"], up=up)})
    none = 0
    for values, tree in zip(every, page("corners", [corners.packed(TREE), every]), strict=True):
        if "error" in tree:
            refused(f"^{tree['error']}$", corners.texts, values)
            none += 1
            continue
        told = corners.texts(values)
        assert tree["words"] == {"n": f"{told['n.low']} to {told['n']}{told['of']}"}
        assert tree["rows"] == [f"{told['size']}, {told['part']}", "stays"]
        assert tree["y"] == [[int(told["n"])]]
        assert tree["x"] == [1, 2]
        if up:
            size = values["some"] / values["all"]
            assert int(told["n.low"]) <= truth(size, math.ceil(values["part"] / size)) <= int(told["n"])
    assert 20 < none < 300


def test_room_is_kept_for_the_longest_texts():
    wide = table().widest(TREE)
    assert wide["words"]["n"] == "10 to 10 of another"
    assert wide["rows"][0] == "0.25, 100"
    assert TREE["words"] == {"n": ""}
