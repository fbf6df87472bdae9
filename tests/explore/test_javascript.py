"""The panel's script: its parts tested in node, joined, and answering what Python answers."""

import itertools
import json
import math
import random
import re
import subprocess
from dataclasses import replace

import javascript
import numpy as np
import pytest
from cornered import texts
from plotly.offline import get_plotlyjs_version
from shared import ROOT, refused

from explorable.panels import static
from explorable.panels.corners import Axis, Corners, Told
from explorable.panels.pack import Packer, plain
from explorable.panels.protocol import composed
from explorable.panels.static import PLOTLY, asset, first_sentence

PARTS = sorted((ROOT / "explorable" / "panels" / "js").glob("*.js"))
JS = ROOT / "tests" / "js"


def node(*arguments, text=""):
    """Run node; the parts are modules although no package.json beside them says so."""
    quiet = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"
    command, told = [javascript.NODE, quiet, *arguments], {"input": text, "encoding": "utf-8"}
    return subprocess.run(command, **told, capture_output=True, check=False, timeout=120)


def page(name, asked):
    """Return what a function of the page's script answers."""
    done = node(JS / "answers.js", name, text=json.dumps(asked))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("path", sorted(JS.glob("*.test.js")), ids=lambda path: path.name)
def test_in_node(path):
    done = node("--test", "--test-reporter=tap", path)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = dict(line[2:].split(" ", 1) for line in done.stdout.splitlines() if line[:2] == "# ")
    assert int(counts["tests"]) == int(counts["pass"]) > 0, done.stdout


def test_the_parts_make_one_classic_script_that_may_stand_in_a_page(tmp_path):
    path = tmp_path / "explorable.cjs"
    path.write_text(asset("explorable.js"), encoding="utf-8")
    done = node("--check", path)
    assert done.returncode == 0, done.stderr
    parts = {part.stem: part.read_text(encoding="utf-8") for part in PARTS}
    assert "</script" in "".join(parts.values())
    assert "</script" not in asset("explorable.js")
    # The files of a folder come in any order.
    assert static._joined(dict(reversed(parts.items()))) == asset("explorable.js")
    # Each part stands behind those that it imports.
    script = static._joined({"a": 'import { b } from "./b.js";\nlet a = b;\n', "b": "export let b = 1;\n"})
    assert script.index("let b") < script.index("let a")


def test_two_parts_cannot_share_a_name():
    for second in ("function one() {}", "export class one {}", "let one = 2;"):
        with pytest.raises(RuntimeError, match="share the names one"):
            static._joined({"a": "export const one = 1;\n", "b": f"{second}\n"})


def test_the_script_that_draws_has_the_version_of_the_package():
    told = re.search(rb"/\* plotly.js ([\d.]+) ", PLOTLY.read_bytes())
    assert told[1].decode() == get_plotlyjs_version()


def told(value):
    """A tree as `tests/js/answers.js` writes it: arrays say so, NaN is null."""
    if isinstance(value, dict):
        return {key: told(item) for key, item in value.items()}
    if isinstance(value, list) or (isinstance(value, np.ndarray) and value.ndim > 1):
        return [told(item) for item in value]
    if isinstance(value, np.ndarray):
        return {"$numbers": [None if np.isnan(x) else float(x) for x in value.astype(float)]}
    return value


def figure(rng, state):
    """A tree with everything that a figure may hold, some of it different in every state."""
    traces = [
        {
            "y": rng.normal(size=rng.integers(1, 40)).astype(np.float32),
            "x": np.arange(3) * (state + 1),
            "name": ["same", "Größe, “x” ≤ 1"][state % 2],
            "visible": [True, False, None][state % 3],
            "line": {"width": 1.5, "dash": [] if state % 2 else ["a", 1, None]},
        }
        for _ in range(1 + state % 3)
    ]
    traces.append({"z": rng.integers(0, 5, size=(2, 3)).astype(float), "y": np.zeros(2)})
    # Curves of few decimals, smooth ones and tiny ones, each packed in a way of its own.
    walk = rng.normal(size=200).cumsum()
    traces.append({"x": np.round(walk, 3), "y": np.cos(np.arange(300) / 50).astype("f4"), "z": walk * 1e-300})
    if state % 2:
        traces[0]["y"][0] = np.nan
        traces.append({"y": np.array([1e-300, 1e300]), "x": np.array([2**24 + 1, 2])})
    meta = {"sentence": f"state {state}", "table": [["", "a"], ["row", str(state)]], "empty": {}}
    return plain({"data": traces, "layout": {"meta": meta, "xaxis": {"range": [0, state]}}})


def test_the_page_unpacks_what_python_packs():
    rng = np.random.default_rng(0)
    errors = [{"error": "n = 1: must be more"}, figure(rng, 1), {"error": "n = 3: must be less"}]
    # One state alone, states that are all the same, errors between figures, and many figures.
    books = [[figure(rng, 4)], [figure(np.random.default_rng(1), 2)] * 3, errors]
    books += [[figure(rng, state) for state in range(12)] for _ in range(4)]
    packed = []
    for trees in books:
        packer = Packer()
        for tree in trees:
            packer.add(tree)
        packed.append([packer.finish(), len(trees)])
    assert page("unpacked", packed) == json.loads(json.dumps(told(books)))


def test_the_page_lays_layers_as_python_does():
    held = {"grab": [{"control": "n"}], "probe": ["n"]}
    meta = {"sentence": "{a} of {b}, {c}", "alt": "{a}{a}", **held}
    axes = {"xaxis": {"range": [0, 1], "title": {"text": "x"}}, "annotations": [{"text": "n"}]}
    more = {"annotations": [{"text": "m"}], "height": 300}
    layers = [
        {"data": [{"name": "one", "y": [1, 2]}], "layout": {"meta": meta, "shapes": [{"x0": 1}], **axes}},
        {"data": [], "layout": {"meta": {"words": {"a": "3"}, "table": [["1"]]}}},
        {"data": [{"name": "two"}], "layout": {"xaxis": {"range": [5]}, "shapes": [{"x0": 2}]}},
        {"data": [], "layout": {"meta": {"words": {"b": "4"}, "grab": [{"control": "m"}]}, **more}},
        {"data": [], "layout": {"meta": {"probe": ["m"]}}},
    ]
    stacks = [layers, layers[::-1], layers[:2]]
    laid = page("composed", stacks)
    assert laid == [composed(stack) for stack in stacks]
    both = [laid[0]["layout"]["meta"][what] for what in ("grab", "probe")]
    assert both == [[{"control": "n"}, {"control": "m"}], ["n", "m"]]


def test_the_page_ends_the_first_sentence_where_python_does():
    """Python reserves the room of the first sentence, and the page folds what follows it."""
    marks = ["a", "B", "1", ".", "!", "?", ")", "(", " ", "\n", "Ä", "ε"]
    texts = ["".join(each) for each in itertools.product(marks, repeat=4)]
    texts += ["Right in 0.5 (exact). The rest. More.", "Only one, e.g. this.", ""]
    found = page("first", texts)
    assert found == [first_sentence(text) for text in texts]
    assert found[-3:] == ["Right in 0.5 (exact).", "Only one, e.g. this.", ""]


# --- A table that answers any values by the corner on the safe side --------------------------------

SIZES, COUNTS = (0.1, 0.25, 0.5, 1.0), (1, 2, 5, 10, 100)
TEXTS = tuple(str(value) for value in range(60))
TREE = {"words": {"n": ""}, "rows": ["", "stays"], "y": [[0]], "x": [1, 2]}


def truth(size, part):
    """What the table bounds: more of both never tells less."""
    return 4 * size + 7 * math.log(part) + size * math.log(part)


def table():
    """Sizes are one number over another, parts whole."""
    exact = np.array([[truth(size, part) for part in COUNTS] for size in SIZES])
    high = np.ceil(exact).astype(np.int64)
    axes = {
        "size": Axis(("some",), SIZES, tuple(map(str, SIZES)), True, "more than all", ("all",)),
        "part": Axis(("part", "all"), COUNTS, tuple(map(str, COUNTS)), True, "too many", ("some",), True),
    }
    told = {"n": Told(("size", "part"), high, np.floor(exact).astype(np.int64), TEXTS, tuple(range(60)))}
    leaves = {("words", "n"): "{n.low} to {n}{of}", ("rows", 0): "{size}, {part}", ("y", 0, 0): "#n"}
    return Corners(axes, told, leaves, {"of": ""}, {"of": " of another"})


def drawn():
    draw = random.Random(4)
    yield from ({"some": few, "all": 10, "part": part} for few, part in ((5, 1), (10, 5), (10, 99), (11, 1)))
    for _ in range(400):
        yield {"some": draw.randint(1, 12), "all": draw.randint(1, 50), "part": draw.choice([0.5, 1, 3])}


def test_a_page_keeps_room_for_the_longest_texts_of_a_table():
    wide = table().widest(TREE)
    assert (wide["words"]["n"], wide["rows"][0]) == ("10 to 10 of another", "0.25, 100")
    assert TREE["words"] == {"n": ""}


@pytest.mark.parametrize("way", ["up", "down", "short"])
def test_the_page_answers_as_python_does_and_the_truth_lies_between_the_two_corners(way):
    corners, every = table(), list(drawn())
    corners = replace(corners, axes={**corners.axes, "size": replace(corners.axes["size"], up=way != "down")})
    if way == "short":
        kept = TEXTS[: corners.told["n"].high.max() + 1]
        corners = replace(corners, told={"n": replace(corners.told["n"], texts=kept, beyond="no answer")})
    found, none = page("corners", [corners.packed(TREE), every]), 0
    assert ({"error": "no answer"} in found) == (way == "short")
    for values, tree in zip(every, found, strict=True):
        if "error" in tree:
            refused(f"^{tree['error']}$", texts, corners, values)
            none += 1
            continue
        told = texts(corners, values)
        assert tree["words"] == {"n": f"{told['n.low']} to {told['n']}{told['of']}"}
        assert tree["rows"] == [f"{told['size']}, {told['part']}", "stays"]
        assert tree["y"] == [[int(told["n"])]]
        assert tree["x"] == [1, 2]
        if way == "up":
            size = values["some"] / values["all"]
            assert int(told["n.low"]) <= truth(size, math.ceil(values["part"] / size)) <= int(told["n"])
    assert 20 < none < 300
