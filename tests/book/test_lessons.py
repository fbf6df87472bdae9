"""The lessons: minutes that add up, links to panels in states that exist."""

import re

from panels import BOOK, panels
from shared import ROOT

from explorable.outputs.exercises import Show, read_exercises
from explorable.sphinx import words as prose

LESSONS = {path.stem: path.read_text(encoding="utf-8") for path in (BOOK / "teach").glob("*.md")}
TAUGHT = {name: text for name, text in LESSONS.items() if "{lesson}" in text}
BLOCK = re.compile(r"^::::\{lesson\}\n:minutes: (\d+)\n(.*?)^::::$", flags=re.M | re.S)
STEP = re.compile(r"^:::\{lesson-step\} ([^\n]+)\n:minutes: (\d+)\n(.*?)^:::$", flags=re.M | re.S)


def fault(text: str) -> str:
    """Say what is wrong with a link to a panel in a state; nothing if it can be had."""
    shown = Show.of(text)
    own = {f"book/{page.rpartition('.')[0]}": found for page, found in panels().items()}.get(shown.page, ())
    panel = next((each for each in own if each.name == shown.panel), None)
    if panel is None:
        return f"{shown.page} has no panel {shown.panel}"
    told = [
        {"name": name, "stops": list(face.stops), "labels": list(face.labels)}
        for name, control in panel.controls.items()
        for face in [control.for_face(live=False)]
    ]
    try:
        prose.values({"id": shown.panel, "controls": told}, shown.values)
    except prose.Mistake as mistake:
        return str(mistake)
    # An address names a choice by its words alone.
    for name, stop in shown.values.items():
        control = panel.controls[name].for_face(live=False)
        if control.kind != "slider" and stop not in control.labels:
            return f"{name}={stop}: the address takes {', '.join(control.labels)}"
    return ""


def test_every_link_opens_a_panel_in_a_state_that_exists():
    shown = [text for lesson in LESSONS.values() for text in re.findall(r"\{show\}`(.*?)`", lesson)]
    assert len(shown) > 10
    assert not {text: found for text in shown if (found := fault(text))}
    for text, says in (
        ("mip/noise#no-such: eta=0.1 | x", "has no panel no-such"),
        ("mip/noise#noise-over-spread: target=41 | x", "the stops are"),
        ("apps/choose-epsilon#choose-lab: delta=0.00001 | x", "the address takes 1e-05, 0.001"),
    ):
        assert says in fault(text)


def test_the_minutes_of_the_steps_add_up():
    asked = {"lesson-45": [45], "lesson-90": [90], "lesson-180": [180], "two-weeks": [90] * 4}
    assert {name: [int(m) for m, _ in BLOCK.findall(text)] for name, text in TAUGHT.items()} == asked
    for text in TAUGHT.values():
        for minutes, inner in BLOCK.findall(text):
            assert sum(int(found[1]) for found in STEP.findall(inner)) == int(minutes)
        assert len(STEP.findall(text)) == text.count("{lesson-step}")


def test_a_lesson_names_exercises_that_exist_and_adds_their_minutes():
    found = {one.label: one for one in read_exercises(ROOT)}
    assert set(re.findall(r"<?(ex-[\w-]+)>?`", "".join(TAUGHT.values()))) <= set(found)
    for name, minutes in (("lesson-45", 16), ("lesson-90", 42)):
        labels = re.findall(r"<(ex-[\w-]+)>", TAUGHT[name].partition("**At home.**")[2])
        assert sum(found[label].effort.minutes for label in labels) == minutes
    levels = re.findall(r"\{ref\}`(ex-[\w-]+)` \(level (\d)\)", TAUGHT["two-weeks"])
    assert len(levels) == 5
    assert all(found[label].effort.level == int(level) for label, level in levels)
