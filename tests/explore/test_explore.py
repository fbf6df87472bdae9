"""Explorables without a browser: packing, faces, budget, processes, contrast."""

import re

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
from explorable.panels import Choice, Explorable, Part, Slider, layer, stacked
from explorable.panels.pack import Packer, plain
from explorable.panels.static import asset, state_tree

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


def same(got, expected):
    if isinstance(expected, dict):
        return set(got) == set(expected) and all(same(got[k], v) for k, v in expected.items())
    if isinstance(expected, list):
        return len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(expected, np.ndarray):
        return got.shape == expected.shape and np.allclose(got, expected, rtol=1e-6)
    return bool(got == expected and type(got) is type(expected))


def packed(states):
    packer = Packer()
    for state in states:
        packer.add(state)
    return packer.finish()


@given(st.lists(trees, min_size=1, max_size=6))
def test_pack_round_trip(states):
    blob = packed(states)
    for index, state in enumerate(states):
        assert same(unpack(blob, index), state)


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


# --- Explorables ----------------------------------------------------------------------------------


def line(slope, shift=0.0, steep=False):
    """A figure with few numbers."""
    if slope == 4:
        raise ValueError("slope = 4: must be anything else")
    figure = go.Figure(go.Scatter(x=[0, 1], y=[shift, shift + slope * (10 if steep else 1)]))
    return figure.update_layout(meta={"sentence": f"slope {slope}", "alt": "a line"})


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


def states_of(panel):
    blob = re.search(r'class="mb-blob">([^<]*)<', panel.html())[1]
    return [unpack(blob, i) for i in range(len(list(panel.states())))]


def test_static_face_holds_every_state_in_order(capfd):
    panel = Explorable(line, slope=(1, 3), shift=Choice([0.0, 0.5]), steep=False)
    for tree, values in zip(states_of(panel), panel.states(), strict=True):
        assert list(tree["data"][0]["y"]) == list(line(**values).data[0].y)
        assert tree["layout"]["meta"]["sentence"] == f"slope {values['slope']}"
    told = capfd.readouterr()
    assert told.out == ""
    assert "12 states in" in told.err


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
    def stopped():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        state_tree(stopped, {})


def test_budget_names_size_and_mend():
    def heavy(slope):
        return go.Figure(go.Scatter(y=np.random.default_rng(slope).standard_normal(5000)))

    panel = Explorable(heavy, slope=(0, 9), budget=50_000)
    refused(r"^budget = 50000: .*'heavy' needs \d+ bytes .*fewer", panel.html)


def test_processes_change_nothing():
    one, two = (Explorable(line, slope=(1, 3), shift=Choice([0.0, 0.5]), n_jobs=jobs) for jobs in (1, 2))
    assert one.html() == two.html()


def test_configured_backend_is_used():
    seen = []

    def drawn(slope):
        seen.append(slope)
        return line(slope)

    with joblib.parallel_config(backend="threading", n_jobs=2):
        Explorable(drawn, slope=(1, 3)).html()
    assert set(seen) == {1, 2, 3}, "another process has a list of its own"


def test_face_follows_the_environment(monkeypatch):
    panel = Explorable(line, slope=(1, 3))
    monkeypatch.setenv("MIPBOOK_STATIC", "static")
    assert 'data-face="static"' in panel._repr_mimebundle_()["text/html"]
    monkeypatch.delenv("MIPBOOK_STATIC")
    assert "application/vnd.jupyter.widget-view+json" in panel._repr_mimebundle_()[0]


def test_save_writes_one_offline_file(tmp_path):
    panel = Explorable(line, slope=(1, 3))
    page = panel.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script src" not in page
    assert "/* plotly.js " in page
    refused("^path = .*a folder that exists", panel.save, tmp_path / "no/page.html")


def test_json_cannot_close_its_script():
    def closing(n):
        return line(n).update_layout(meta={"sentence": "</script><script>alert(1)</script>"})

    html = Explorable(closing, title="</script>", n=(1, 2)).html()
    assert html.count("</script>") == 2
    assert "alert(1)</script>" not in html


# --- What readers see -----------------------------------------------------------------------------


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, two):
    dark, light = sorted(map(luminance, (one, two)))
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
