"""Words that move panels: what they bind to, and what fails the build."""

import pytest
from docutils import nodes

from explorable.sphinx import words as prose


def spec(name, **controls):
    told = [
        {"name": key, "stops": stops, "labels": [str(stop) for stop in stops]}
        for key, stops in controls.items()
    ]
    return {"id": name, "controls": told}


NOISE = spec("noise", sigma=[0.5, 3.0], n=[10, 20], kind=["one", "two"], on=[True, False])
OTHER = spec("other", n=[20, 30])


def bound(text, above, below=()):
    panel, wanted, words = prose.parse(text)
    node = prose.Words(words, words, panel=panel, wanted=wanted)
    prose._bind(node, list(above), list(below))
    return node["panel"], node["values"]


def test_words_move_the_nearest_panel_that_has_the_controls():
    assert bound("sigma=3; n=20 | go", [OTHER, NOISE]) == ("noise", {"sigma": 3.0, "n": 20})
    assert bound("n=20 | go", [NOISE, OTHER]) == ("other", {"n": 20})
    assert bound("sigma=0.5 | go", [OTHER], [NOISE]) == ("noise", {"sigma": 0.5})
    assert bound("noise: n=20 | go", [NOISE, OTHER]) == ("noise", {"n": 20})
    assert bound("kind=two; on=True | go", [NOISE]) == ("noise", {"kind": "two", "on": True})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sigma=4 | go", "the stops are 0.5, 3.0"),
        ("on=1 | go", "the stops are True, False"),
        ("rho=3 | go", "the controls of noise are"),
        ("clouds: sigma=3 | go", "the panels of the page are noise"),
        ("sigma=3", "write it as"),
        ("sigma | go", "write it as"),
        ("sigma=3 | ", "write it as"),
    ],
)
def test_what_does_not_exist_fails_with_what_does(text, says):
    with pytest.raises(prose.Mistake, match=says):
        bound(text, [NOISE])


def test_a_page_without_a_panel_has_nothing_to_move():
    with pytest.raises(prose.Mistake, match="no panel"):
        bound("sigma=3 | go", [])


def test_the_tables_of_the_script_are_read_from_an_output():
    raw = nodes.raw("", '<section class="mb-asked"><script class="mb-spec">{"a": "<\\/b"}</script>')
    assert prose.panel_specs(raw, "mb-asked") == [{"a": "</b"}]
    assert prose.panel_specs(raw, "mb-explorable") == []
