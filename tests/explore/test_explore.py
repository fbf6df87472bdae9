"""Explorables without a browser: packing, layers, budget, processes, contrast."""

import json
import re
from unittest.mock import Mock

import joblib
import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from shared import ROOT, ran, refused
from unpacked import unpack

from explorable import palette
from explorable.panels import Choice, Explorable, Grab, Part, Slider, Told, Track, layer, stacked
from explorable.panels.pack import Packer, plain
from explorable.panels.static import asset, state_tree

whole = hnp.arrays(np.int16, hnp.array_shapes(max_dims=2, max_side=4), elements=st.integers(-1000, 1000))
scales = st.sampled_from([np.int16(1), np.int64(1), np.float32(0.125), np.float64(0.125)])
arrays = st.builds(np.multiply, whole, scales)
plain_values = st.integers(-1, 1) | st.sampled_from(["", "1", "True", "≤ é"]) | st.booleans()
leaves = plain_values | arrays | st.just([]) | st.just({})
lists = st.lists(st.dictionaries(st.sampled_from("xyz"), leaves, min_size=1), max_size=3)
trees = st.dictionaries(st.sampled_from("abcd"), leaves | lists, min_size=1, max_size=4)


def packed(states):
    packer = Packer()
    for state in states:
        packer.add(state)
    return packer.finish()


@given(st.lists(trees, min_size=1, max_size=6))
def test_pack_round_trip(states):
    blob = packed(states)
    got, sent = (
        json.dumps(each, sort_keys=True, default=lambda array: array.astype(float).tolist())
        for each in ([unpack(blob, index) for index in range(len(states))], states)
    )
    assert got == sent


def test_numbers_beyond_float32_keep_their_digits_and_no_others():
    far = [np.array([1e-300, 1e300]), np.array([2**24 + 1]), np.array([2**40 + 1])]
    near = [np.array([0.1, 2.0**31]), np.array([1 / 3])]
    tree = unpack(packed([{"far": [{"v": v} for v in far], "near": [{"v": v} for v in near]}]), 0)
    assert [each["v"].tolist() for each in tree["far"]] == [v.tolist() for v in far]
    assert [each["v"].dtype for each in tree["near"]] == [np.float32] * 2


def test_equal_arrays_are_stored_once():
    curve = np.random.default_rng(0).standard_normal(2000)
    one, many = (packed({"data": [{"y": curve, "name": str(k)}]} for k in range(n)) for n in (1, 50))
    assert len(many) < 1.2 * len(one)


def test_plain_takes_figures_apart():
    figure = go.Figure(go.Heatmap(z=np.arange(6).reshape(2, 3)))
    figure.add_scatter(x=list(range(20)), y=[None, *range(19)], text=["a"] * 20)
    grid, line = plain(figure.to_dict())["data"]
    assert grid["z"].shape == (2, 3)
    assert np.isnan(line["y"][0])
    assert line["text"] == ["a"] * 20
    refused("nan", plain, {"height": float("nan")})


def line(slope, shift=0.0, steep=False):
    if slope == 4:
        raise ValueError("slope = 4: must be anything else")
    return go.Figure(go.Scatter(x=[0, 1], y=[shift, shift + slope * (10 if steep else 1)]))


def test_figure_checks_its_values():
    panel = Explorable(line, slope=Slider(0, 3), shift=Slider(0.0, 1.0))
    assert panel.figure(slope=2.5).data[0].y[1] == 3.0
    refused(r"^slope = 5: .*\[0, 3\]", panel.figure, slope=5)
    refused("^tilt = 1: must be one of the controls slope, shift", panel.figure, tilt=1)


def test_explorable_names_what_it_refuses(tmp_path):
    refused("^function = ", Explorable, function=3, slope=(0, 1))
    refused("^controls = ", Explorable, function=line)
    refused("^tilt = ", Explorable, function=line, slope=(0, 1), tilt=(0, 1))
    refused("^slope = ", Explorable, function=line, shift=(0.0, 1.0))
    refused("^name = ", Explorable, function=line, slope=(0, 1), name="two words")
    refused("^budget = ", Explorable, function=line, slope=(0, 1), budget=10)
    refused("^n_jobs = ", Explorable, function=line, slope=(0, 1), n_jobs=1.5)
    refused("^path = .*a folder that exists", Explorable(line, slope=(1, 3)).save, tmp_path / "no/page.html")


def states_of(panel):
    blob = re.search(r'class="mb-blob">([^<]*)<', panel.html())[1]
    return [unpack(blob, i) for i in range(len(list(panel.states())))]


def test_static_face_holds_every_state_in_order(capfd):
    panel = Explorable(line, slope=(1, 3), shift=Choice([0.0, 0.5]), steep=False)
    for tree, values in zip(states_of(panel), panel.states(), strict=True):
        assert list(tree["data"][0]["y"]) == list(line(**values).data[0].y)
    told = capfd.readouterr()
    assert (told.out, "12 states in" in told.err) == ("", True)


def test_a_failing_state_fails_the_panel_or_is_kept_as_its_message():
    for slope in ((3, 5), Slider(3, 5, 4, step=1)):
        refused("'slope': 4.*panel 'line' takes.*may_refuse=True", Explorable(line, slope=slope).html)
        trees = states_of(Explorable(line, slope=slope, may_refuse=True))
        assert trees[1] == {"error": "slope = 4: must be anything else"}
        assert trees[2]["data"]


def test_a_state_of_parts_makes_no_figure_of_plotlys_and_the_reader_gets_one():
    seen = []

    def drawn(slope=1.0):
        figure = stacked(layer(lambda slope: Part([{"y": [0, slope]}]), slope=slope))
        seen.append(type(figure))
        return figure

    Explorable(drawn, slope=(1, 3), n_jobs=1).html()
    assert set(seen) == {Part}
    assert isinstance(drawn(), go.Figure)


def test_interrupt_is_not_swallowed():
    with pytest.raises(KeyboardInterrupt):
        state_tree(Mock(side_effect=KeyboardInterrupt), {})


def test_budget_names_size_and_mend():
    def heavy(slope):
        return go.Figure(go.Scatter(y=np.random.default_rng(slope).standard_normal(5000)))

    panel = Explorable(heavy, slope=(0, 9), budget=50_000)
    refused(r"^budget = 50000: .*'heavy' needs \d+ bytes .*fewer", panel.html)


def test_processes_change_nothing_and_a_configured_backend_is_used():
    one, two = (Explorable(line, slope=(1, 3), shift=Choice([0.0, 0.5]), n_jobs=jobs) for jobs in (1, 2))
    assert one.html() == two.html()
    seen = []

    def drawn(slope):
        seen.append(slope)
        return line(slope)

    with joblib.parallel_config(backend="threading", n_jobs=2):
        Explorable(drawn, slope=(1, 3)).html()
    assert set(seen) == {1, 2, 3}, "another process has a list of its own"


def test_a_panel_is_a_widget_where_no_book_is_built(monkeypatch):
    monkeypatch.delenv("MIPBOOK_STATIC", raising=False)
    assert "application/vnd.jupyter.widget-view+json" in Explorable(line, slope=(1, 3))._repr_mimebundle_()[0]


def test_json_cannot_close_its_script():
    def closing(n):
        return line(n).update_layout(meta={"sentence": "</script><script>alert(1)</script>"})

    html = Explorable(closing, title="</script>", n=(1, 2)).html()
    assert html.count("</script>") == 2
    assert "alert(1)</script>" not in html


def curve(n):
    return Part([{"type": "scatter", "y": [0, n]}])


def frame(wide):
    return Part(layout={"width": 900 if wide else 600})


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


def test_a_refused_state_of_a_layer_is_named_and_each_layer_has_its_own_controls():
    def picky(n):
        if n == 2:
            raise ValueError("n = 2: must be another")
        return Part()

    def figure(n=1, wide=False):
        return stacked(layer(picky, n=n), layer(frame, wide=wide))

    refused(r"'n': 2.*must be another", Explorable(figure, n=[1, 2], wide=False, n_jobs=1).html)
    html = Explorable(figure, n=[1, 2], wide=False, n_jobs=1, may_refuse=True).html()
    assert '"layers":[["n"],["wide"]]' in html


def test_a_part_tells_only_what_a_panel_knows():
    refused("headlin = 'x': must be one of after, afterwards, alt, ", Part(meta={"headlin": "x"}).tree)
    told = Told(headline="{n} up", grab=[Grab(control="n", axis="x", track=Track(x=[0], y=[1]))])
    assert Part(meta=told, words={"n": "3"}).tree()["layout"]["meta"] == {**told, "words": {"n": "3"}}


def contrast(*colours):
    channels = np.array([[int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] for colour in colours])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    dark, light = sorted(linear @ [0.2126, 0.7152, 0.0722])
    return (light + 0.05) / (dark + 0.05)


def test_palette_contrast():
    for name in ("INK", "BLUE", "ORANGE", "GREEN", "PURPLE", "GREY"):
        colour, least = getattr(palette, name), 4.5 if name in ("INK", "GREY") else 3.0
        for shown, ground in zip((colour, palette.DARK_TWIN[colour]), palette.BACKGROUND, strict=True):
            assert contrast(shown, ground) >= least, name
    for face in palette.FACES.items():
        for shown, ground in zip(face, palette.BACKGROUND, strict=True):
            assert contrast(shown, ground) >= 4.5, "a letter can be read on every face"


def test_panel_style_contrast():
    style = asset("explorable.css") + asset("book.css")
    blocks = re.findall(r"\{([^{}]*--mb-ink:[^{}]*)\}", style)
    assert len(blocks) == 3
    words = {*re.findall(r"(?<![-\w])color: var\(--mb-([a-z-]+)", style)} - {"on-accent", "ground"}
    assert {"ink", "good", "bad"} <= words
    for block in blocks:
        colours = dict(re.findall(r"--mb-([a-z-]+): (#[0-9a-f]{6})", block))
        for ground in ("ground", "wash", "paper"):
            for text in words:
                assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
        assert contrast(colours["on-accent"], colours["accent"]) >= 4.5
        assert contrast(colours["line"], colours["ground"]) >= 3.0


def test_importing_the_package_is_cheap():
    code = (
        "import sys, mipbook; heavy = {'plotly', 'ipywidgets', 'anywidget', 'matplotlib', 'mpmath',"
        " 'IPython', 'joblib', 'scipy.optimize', 'scipy.stats', 'voila'};"
        " assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    assert ran("-c", code, cwd=ROOT).returncode == 0
