"""The lessons: minutes that add up, links to panels in states that exist, numbers that hold."""

from __future__ import annotations

import re
from functools import cache

import pytest
from panels import BOOK, panels
from shared import ROOT

from explorable.outputs.exercises import exercises_of, read_exercises
from explorable.outputs.lessons import Show
from explorable.panels import Explorable
from explorable.sphinx import words as prose
from mipbook import accounting, audit, game, mip, mis, tradeoff
from mipbook.base.rounding import up
from mipbook.mechanisms import sampling_mechanism

LESSONS = {path.stem: path.read_text(encoding="utf-8") for path in (BOOK / "teach").glob("*.md")}
TAUGHT = {name: text for name, text in LESSONS.items() if "{lesson}" in text}
BLOCK = re.compile(r"^::::\{lesson\}\n:minutes: (\d+)\n(.*?)^::::$", flags=re.M | re.S)
STEP = re.compile(r"^:::\{lesson-step\} ([^\n]+)\n:minutes: (\d+)\n(.*?)^:::$", flags=re.M | re.S)
SHOWN = [(name, found) for name, text in LESSONS.items() for found in re.findall(r"\{show\}`(.*?)`", text)]


@cache
def known() -> dict[tuple[str, str], Explorable]:
    """The panels of the chapters, by page and name."""
    return {
        (f"book/{page.rpartition('.')[0]}", panel.name): panel
        for page, found in panels().items()
        for panel in found
    }


def fault(text: str) -> str:
    """Say what is wrong with a link to a panel in a state; nothing if it can be had."""
    shown = Show.of(text)
    panel = known().get((shown.page, shown.panel))
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


@pytest.mark.parametrize(("name", "text"), SHOWN)
def test_every_link_opens_a_panel_in_a_state_that_exists(name, text):
    assert fault(text) == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mip/noise#no-such: eta=0.1 | x", "has no panel no-such"),
        ("mip/nothing#noise-over-spread | x", "book/mip/nothing has no panel"),
        ("mip/noise#noise-over-spread: target=41 | x", "the stops are"),
        ("mip/noise#noise-over-spread: aim=40 | x", "the controls of noise-over-spread are"),
        ("pmp/choose-epsilon#choose-lab: delta=0.00001 | x", "the address takes 1e-05, 0.001"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(text, says):
    assert says in fault(text)


@pytest.mark.parametrize("text", ["", "mip/noise", "mip/noise#x", "mip/noise | x", "a#b: c | x"])
def test_what_names_no_panel_is_refused(text):
    with pytest.raises(ValueError, match=r"^show = "):
        Show.of(text)


def test_the_minutes_of_the_steps_add_up():
    asked = {"lesson-45": [45], "lesson-90": [90], "lesson-180": [180], "two-weeks": [90] * 4}
    assert {name: [int(m) for m, _ in BLOCK.findall(text)] for name, text in TAUGHT.items()} == asked
    for text in TAUGHT.values():
        for minutes, inner in BLOCK.findall(text):
            assert sum(int(found[1]) for found in STEP.findall(inner)) == int(minutes)
        assert len(STEP.findall(text)) == text.count("{lesson-step}")


def test_every_step_but_a_break_asks_and_expects():
    for name, text in TAUGHT.items():
        assert "**Aims.**" in text, name
        assert "**Before.**" in text, name
        for title, _, body in STEP.findall(text):
            terms = [term for term in ("Ask", "Expect", "Watch") if f"\n{term}\n: " in f"\n{body}"]
            assert terms == ["Ask", "Expect", "Watch"] or title == "A break", (name, title)


def test_a_lesson_names_exercises_that_exist_and_adds_their_minutes():
    found = {one.label: one for one in read_exercises(ROOT)}
    for text in TAUGHT.values():
        for label in re.findall(r"<?(ex-[\w-]+)>?`", text):
            assert label in found
    for name, minutes in (("lesson-45", 16), ("lesson-90", 42)):
        home = TAUGHT[name].partition("**At home.**")[2]
        labels = re.findall(r"<(ex-[\w-]+)>", home)
        assert sum(found[label].effort.minutes for label in labels) == minutes
    levels = re.findall(r"\{ref\}`(ex-[\w-]+)` \(level (\d)\)", TAUGHT["two-weeks"])
    assert [(found[label].effort.level, label) for label, _ in levels] == [
        (int(level), label) for label, level in levels
    ]
    assert len(levels) == 5
    assert next(exercises_of("nothing", "book/mip/noise"), None) is None


def test_the_numbers_that_lessons_expect():
    incomes = [31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0]
    survey, wide = game.TracingAttack(400, 100, 0.1), game.TracingAttack(1600, 100, 0.1)
    accused = game.posterior([[0.99, 0.01], [0.1, 0.9]], weights=[0.999, 0.001])[1]
    gauss = accounting.from_gaussian(float(tradeoff.gaussian_sigma(3, 1e-5)))
    found = (tradeoff.gaussian_tpr(0.01, 1.0), tradeoff.gaussian_tpr(0.01, 1 / 0.2513226937))
    told = {
        "It finds 92": f"It finds {1000 * found[0]:.0f}",
        "19 and 109": f"{1000 * found[1]:.0f} and "
        f"{1000 * game.finite_tpr(0.01, sampling_mechanism(0.1)):.0f}",
        "53.6%": f"{mip.noisy_mean_accuracy(incomes, 5, 4.0):.1%}",
        "88.5%": f"{mip.noisy_mean_accuracy(incomes, 9, 4.0):.1%}",
        "62.7%": f"{mip.noisy_mean_accuracy(incomes, 9, 16.0):.1%}",
        "4.38": f"{tradeoff.gaussian_epsilon(1e-5, 1.0):.2f}",
        "73.2%": f"{up(100 * float(tradeoff.dp_accuracy(1.0)), 3)}%",
        "0.232": f"{up(float(mip.eta_from_dp(1.0)), 3)}",
        "2.28%": f"{survey.fpr(survey.shift):.2%}",
        "31,600": f"{round(1 / wide.fpr(wide.shift), -2):,.0f}",
        "62.3%": f"{mis.finite_model(lambda c: c, [0.5, 0.3, 0.2], 5).best_accuracy():.1%}",
        "5.81": f"{audit.canary_ceiling(1000, 1e-5):.2f}",
        "1.25": f"{audit.canary_epsilon(800, 1000, 1e-5):.2f}",
        "953": f"{1000 * tradeoff.dp_accuracy(3, 1e-5):.0f}",
        "641": f"{up(1000 * float(gauss.accuracy()), 3):.0f}",
        "8.3%": f"{accused:.1%}",
        "4.48": f"{mip.noise_scale(0.1):.2f}",
        "3,795": f"{mip.noise_scale(0.1, M=2, as_published=True):,.0f}",
        "65%": f"{game.optimal_accuracy([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]):.0%}",
    }
    assert {said: said for said in told} == told
    for said in told:
        assert any(said in text for text in TAUGHT.values()), said
