"""A layered figure is the figure in one piece, on the page too, at the sum of its states."""

import json
import re
from itertools import product

import plotly.graph_objects as go
from shared import refused
from unpacked import unpack

from explorable.panels import Explorable, Grab, Part, Told, Track, layer, stacked
from explorable.panels.pack import plain
from explorable.panels.protocol import composed


def curve(n):
    trace = {"type": "scatter", "name": "curve", "x": [0, 1], "y": [0, n]}
    meta = {"sentence": "At {at} it is {value}.", "alt": "a line to {n}"}
    return Part([trace], {"xaxis": {"range": [0, n]}, "shapes": [{"x0": n}]}, {"n": str(n)}, meta)


def reading(n, at):
    trace = {"type": "scatter", "name": "here", "x": [at], "y": [n * at]}
    return Part([trace], {"shapes": [{"x0": at}]}, {"at": str(at), "value": str(n * at)})


def frame(wide):
    return Part(layout={"width": 900 if wide else 600, "xaxis": {"title": {"text": "x"}}})


def line(n: int = 2, at: float = 0.5, wide: bool = False) -> go.Figure:
    return stacked(layer(curve, n=n), layer(reading, n=n, at=at), layer(frame, wide=wide))


def parts_of(panel):
    html = panel.html()
    spec = json.loads(re.search(r'class="mb-spec">(.*?)</script>', html)[1])
    return spec["layers"], re.findall(r'class="mb-blob">([^<]*)<', html)


def test_the_page_holds_what_the_function_draws_and_its_states_add_up(capfd):
    panel = Explorable(line, n=[1, 2, 3], at=[0.0, 0.5, 1.0], wide=False, n_jobs=1)
    layers, blobs = parts_of(panel)
    assert layers == [["n"], ["n", "at"], ["wide"]]
    assert "14 states in" in capfd.readouterr().err  # 3 + 9 + 2, of 18
    for values in panel.states():
        trees = []
        for names, blob in zip(layers, blobs, strict=True):
            every = list(product(*(panel.controls[name].stops for name in names)))
            trees.append(unpack(blob, every.index(tuple(values[name] for name in names))))
        whole = plain({k: v for k, v in line(**values).to_dict().items() if k != "frames"})
        whole["layout"].pop("template", None)
        assert composed(trees) == whole


def test_each_layer_brings_what_can_be_held_and_read_on_it():
    parts = [Part(meta={"grab": [{"control": name, "axis": "x"}], "probe": [name]}) for name in ("n", "at")]
    meta = composed([part.tree() for part in parts])["layout"]["meta"]
    assert meta == {"grab": [{"control": name, "axis": "x"} for name in ("n", "at")], "probe": ["n", "at"]}


def test_a_layer_that_hides_a_control_or_changes_its_value_fails_the_page():
    kept = {"n": 1}

    def hidden(at):
        return Part([{"type": "scatter", "y": [kept["n"], at]}])

    def wrong(n=1, at=0.5):
        kept["n"] = n
        return stacked(layer(curve, n=n), layer(hidden, at=at))

    panel = Explorable(wrong, n=[1, 2, 3], at=[0.0, 0.5], n_jobs=1)
    refused("^layers = .*a control that it does not name", panel.html)

    def half(n=1):
        return stacked(layer(curve, n=n / 2), layer(frame, wide=True))

    refused(r"^layers = ", Explorable(half, n=[1, 2, 3], n_jobs=1).html)


def test_a_refused_state_of_a_layer_is_named():
    def picky(n):
        if n == 2:
            raise ValueError("n = 2: must be another")
        return Part()

    def figure(n=1, wide=False):
        return stacked(layer(picky, n=n), layer(frame, wide=wide))

    refused(r"'n': 2.*must be another", Explorable(figure, n=[1, 2], wide=False, n_jobs=1).html)
    layers, _ = parts_of(Explorable(figure, n=[1, 2], wide=False, n_jobs=1, may_refuse=True))
    assert layers == [["n"], ["wide"]]


def test_a_part_tells_only_what_a_panel_knows():
    refused("headlin = 'x': must be one of after, afterwards, alt, ", Part(meta={"headlin": "x"}).tree)
    told = Told(headline="{n} up", grab=[Grab(control="n", axis="x", track=Track(x=[0], y=[1]))])
    assert Part(meta=told, words={"n": "3"}).tree()["layout"]["meta"] == {**told, "words": {"n": "3"}}
