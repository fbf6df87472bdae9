"""Explorables without a browser: packing, controls, faces, budget, processes."""

import re
from typing import Annotated

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
from explorable.panels import (
    Along,
    Choice,
    Explorable,
    LogSlider,
    Part,
    Rounds,
    Slider,
    Switch,
    layer,
    stacked,
)
from explorable.panels.pack import Packer, plain
from explorable.panels.sliders import as_control
from explorable.panels.static import asset, state_tree
from explorable.sphinx import words


def line(slope, shift=0.0, steep=False):
    """A figure with few numbers."""
    if slope == 4:
        raise ValueError("slope = 4: must be anything else")
    figure = go.Figure(go.Scatter(x=[0, 1], y=[shift, shift + slope * (10 if steep else 1)]))
    return figure.update_layout(meta={"sentence": f"slope {slope}", "alt": "a line"})


def heavy(slope):
    """A figure that is different everywhere."""
    rng = np.random.default_rng(slope)
    return go.Figure(go.Scatter(y=rng.standard_normal(5000)))


# ------------------------------------------------------------------ packing

plain_values = st.one_of(st.integers(-5, 5), st.text(max_size=5), st.booleans())
arrays = hnp.arrays(
    st.sampled_from([np.float64, np.float32, np.int16, np.int64]),
    hnp.array_shapes(max_dims=2, max_side=4),
    elements={"min_value": -1000, "max_value": 1000},
)
leaves = st.one_of(plain_values, arrays, st.just([]), st.just({}))
trees = st.dictionaries(
    st.sampled_from("abcd"),
    st.one_of(leaves, st.lists(st.dictionaries(st.sampled_from("xyz"), leaves, min_size=1), max_size=3)),
    min_size=1,
    max_size=4,
)


def same(got, expected) -> bool:
    if isinstance(expected, dict):
        return set(got) == set(expected) and all(same(got[k], v) for k, v in expected.items())
    if isinstance(expected, list):
        return len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(expected, np.ndarray):
        return got.shape == expected.shape and np.allclose(got, expected, rtol=1e-6, equal_nan=True)
    return bool(got == expected and type(got) is type(expected))


@given(st.lists(trees, min_size=1, max_size=6))
def test_pack_round_trip(states):
    packer = Packer()
    for state in states:
        packer.add(state)
    blob = packer.finish()
    for index, state in enumerate(states):
        assert same(unpack(blob, index), state)


def test_numbers_beyond_float32_keep_their_digits():
    packer = Packer()
    values = [np.array([1e-300, 1e300]), np.array([2.0**24 + 1], dtype=np.int64)]
    values += [np.array([0.1, 2.0**31]), np.array([1 / 3]), np.array([2**40 + 1])]
    packer.add({f"v{i}": v for i, v in enumerate(values)})
    tree = unpack(packer.finish(), 0)
    assert tree["v0"].tolist() == [1e-300, 1e300]
    assert tree["v1"].tolist() == [2.0**24 + 1]
    assert tree["v2"].dtype == tree["v3"].dtype == np.float32
    assert tree["v4"].tolist() == [2.0**40 + 1]


def test_equal_arrays_are_stored_once():
    curve = np.random.default_rng(0).standard_normal(2000)
    sizes = []
    for states in (1, 50):
        packer = Packer()
        for state in range(states):
            packer.add({"data": [{"y": curve, "name": str(state)}]})
        sizes.append(len(packer.finish()))
    assert sizes[1] < 1.2 * sizes[0]


def test_plain_takes_figures_apart():
    figure = go.Figure(go.Heatmap(z=np.arange(6).reshape(2, 3)))
    figure.add_scatter(x=list(range(20)), y=[None, *range(19)], text=["a"] * 20)
    tree = plain(figure.to_dict())
    assert tree["data"][0]["z"].shape == (2, 3)
    assert np.isnan(tree["data"][1]["y"][0])
    assert tree["data"][1]["text"] == ["a"] * 20
    refused("nan", plain, {"height": float("nan")})


# ------------------------------------------------------------------ controls


def test_stops_hold_ends_and_start():
    slider = LogSlider(1e-3, 0.49, value=0.1, points=13)
    assert slider.stops[0] == 1e-3
    assert slider.stops[-1] == 0.49
    assert slider.value == 0.1
    assert len(slider.for_face(live=True).stops) > len(slider.stops)
    assert slider.for_face(live=True).value == 0.1
    assert Slider(0, 1, step=0.1).stops[3] == 0.3
    assert Slider(-2, 2, step=1).stops == (-2, -1, 0, 1, 2)


def test_numbers_make_a_slider_words_a_choice():
    assert Choice([1, 2, 4]).kind == "slider"
    assert Choice([4, 2, 1]).kind == "choice"
    assert Choice(["a", "b"]).kind == "choice"
    assert Choice({"one": 1, "two": 2}).labels == ("one", "two")
    assert Switch().stops == (False, True)


def test_a_choice_names_the_stops_of_another_slider():
    values, starts = {"n": [2, 6, 9], "C": [1.0, 10.0]}, {"n": 6, "C": 10.0}
    along = Along("vary", values, starts, "n", label="Set it to")
    assert (along.stops, along.value) == ((0, 1, 2), 1)
    told = along.describe("to")
    assert (told["by"], told["along"]["C"]) == ("vary", {"labels": ("1", "10"), "start": 1})
    assert along.starting("to", 2).value == 2
    # Python keeps one annotation for two controls that are equal.
    other = Along("vary", {**values, "C": [1.0, 20.0]}, {"n": 6, "C": 20.0}, "n", label="Set it to")
    assert Annotated[int, along] != Annotated[int, other]
    assert "by" not in Slider(0, 1).describe("x")
    spec = {"id": "one", "controls": [Choice(["n", "C"]).describe("vary"), told]}
    assert words.values(spec, {"vary": "n", "to": "9"}) == {"vary": "n", "to": 2}
    with pytest.raises(words.Mistake, match="to=7: the stops are 2, 6, 9"):
        words.values(spec, {"vary": "n", "to": "7"})


def test_controls_name_what_they_refuse():
    refused("^value = ", Along, "by", {"a": [1, 2]}, {"a": 3}, "a")
    refused("^first = ", Along, "by", {"a": [1, 2]}, {"a": 1}, "b")
    refused("^high = ", Slider, 1, 1)
    refused("^low = ", Slider, -np.inf, 0)
    refused("^value = ", Slider, 0, 1, 0.55, step=0.1)
    refused("^step = ", Slider, 0, 1, step=2)
    refused("^points = ", Slider, 0, 1, points=1)
    refused("^low = ", LogSlider, 0, 1)
    refused("^options = ", Choice, [1, 1])
    refused("^options = ", Choice, [[1], [2]])
    refused("^value = ", Choice, [1, 2], value=3)
    refused("^value = ", Switch, 1)
    refused("^count = ", Rounds, 1)
    refused("^n = ", as_control, "n", 3)


def test_shorthands():
    assert as_control("n", (1, 3)).stops == (1, 2, 3)
    assert as_control("x", (0.0, 1.0)).kind == "slider"
    assert as_control("b", True).kind == "switch"
    assert as_control("c", ["a", "b"]).stops == ("a", "b")


# ------------------------------------------------------------------ explorables


def test_figure_checks_its_values():
    panel = Explorable(line, slope=Slider(0, 3), shift=Slider(0.0, 1.0))
    assert panel.figure(slope=2.5).data[0].y[1] == 3.0
    refused(r"^slope = 5: .*\[0, 3\]", panel.figure, slope=5)
    refused("^tilt = 1: must be one of the controls slope, shift", panel.figure, tilt=1)


def test_explorable_names_what_it_refuses():
    refused("^function = ", Explorable, function=3, slope=(0, 1))
    refused("^controls = ", Explorable, function=line)
    refused("^tilt = ", Explorable, function=line, slope=(0, 1), tilt=(0, 1))
    refused("^slope = ", Explorable, function=line, shift=(0.0, 1.0))
    refused("^name = ", Explorable, function=line, slope=(0, 1), name="two words")
    refused("^budget = ", Explorable, function=line, slope=(0, 1), budget=10)
    refused("^n_jobs = ", Explorable, function=line, slope=(0, 1), n_jobs=1.5)


def states_of(panel: Explorable) -> list:
    html = panel.html()
    blob = re.search(r'class="mb-blob">([^<]*)<', html)[1]
    return [unpack(blob, i) for i in range(len(list(panel.states())))]


def test_static_face_holds_every_state_in_order(capfd):
    panel = Explorable(line, slope=(1, 3), shift=Choice([0.0, 0.5]), steep=False)
    trees = states_of(panel)
    for tree, values in zip(trees, panel.states(), strict=True):
        assert list(tree["data"][0]["y"]) == list(line(**values).data[0].y)
        assert tree["layout"]["meta"]["sentence"] == f"slope {values['slope']}"
    told = capfd.readouterr()
    assert told.out == ""
    assert "12 states in" in told.err


def test_a_failing_state_fails_the_panel_or_is_kept_as_its_message():
    for slope in ((3, 5), Slider(3, 5, 4, step=1)):
        refused("'slope': 4.*panel 'line' takes.*may_refuse=True", Explorable(line, slope=slope).html)
    assert states_of(Explorable(line, slope=Slider(3, 5, 4, step=1), may_refuse=True))[1]["error"]
    trees = states_of(Explorable(line, slope=(3, 5), may_refuse=True))
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
    def stopped():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        state_tree(stopped, {})


def test_budget_names_size_and_mend():
    panel = Explorable(heavy, slope=(0, 9), budget=50_000)
    refused(r"^budget = 50000: .*'heavy' needs \d+ bytes .*fewer", panel.html)


def test_processes_change_nothing():
    one = Explorable(line, slope=(1, 3), shift=Choice([0.0, 0.5]), n_jobs=1)
    two = Explorable(line, slope=(1, 3), shift=Choice([0.0, 0.5]), n_jobs=2)
    assert one.html() == two.html()


def test_configured_backend_is_used():
    seen = []

    class Recording(joblib.parallel.ThreadingBackend):
        def configure(self, *arguments, **settings):
            seen.append(settings)
            return super().configure(*arguments, **settings)

    joblib.register_parallel_backend("recording", Recording)
    with joblib.parallel_config(backend="recording", n_jobs=2):
        Explorable(line, slope=(1, 3)).html()
    assert seen


def test_face_follows_the_environment(monkeypatch):
    panel = Explorable(line, slope=(1, 3))
    monkeypatch.setenv("MIPBOOK_STATIC", "static")
    assert 'data-face="static"' in panel._repr_mimebundle_()["text/html"]
    monkeypatch.delenv("MIPBOOK_STATIC")
    data, _ = panel._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data


def test_save_writes_one_offline_file(tmp_path):
    path = Explorable(line, slope=(1, 3)).save(tmp_path / "page.html")
    page = path.read_text(encoding="utf-8")
    assert "<script src" not in page
    assert "/* plotly.js " in page
    refused("^path = .*a folder that exists", Explorable(line, slope=(1, 3)).save, tmp_path / "no/page.html")


def test_json_cannot_close_its_script():
    def closing(n):
        return line(n).update_layout(meta={"sentence": "</script><script>alert(1)</script>"})

    html = Explorable(closing, title="</script>", n=(1, 2)).html()
    assert html.count("</script>") == 2
    assert "alert(1)</script>" not in html


# ------------------------------------------------------------------ what readers see


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", ["INK", "BLUE", "ORANGE", "GREEN", "PURPLE", "GREY"])
def test_palette_contrast(name):
    colour = getattr(palette, name)
    least = 4.5 if name in ("INK", "GREY") else 3.0
    assert contrast(colour, palette.BACKGROUND[0]) >= least
    assert contrast(palette.DARK_TWIN[colour], palette.BACKGROUND[1]) >= least


@pytest.mark.parametrize(("light", "dark"), palette.FACES.items())
def test_a_letter_can_be_read_on_every_face(light, dark):
    for colour, ground in zip((light, dark), palette.BACKGROUND, strict=True):
        assert contrast(colour, ground) >= 4.5


def test_panel_style_contrast():
    style = asset("explorable.css") + asset("book.css")
    blocks = re.findall(r"\{([^{}]*--mb-ink:[^{}]*)\}", style)
    assert len(blocks) == 3
    words = {*re.findall(r"(?<![-\w])color: var\(--mb-([a-z-]+)", style)} - {"on-accent", "ground"}
    assert {"ink", "good", "bad"} <= words
    for block in blocks:
        colours = dict(re.findall(r"--mb-([a-z-]+): (#[0-9a-f]{6})", block))
        for ground in ("ground", "wash"):
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
