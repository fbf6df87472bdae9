"""What every panel must keep to, so that a reader can hold it; each check yields what is wrong."""

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go
from every_figure import PICKS, State

from explorable.panels import Explorable, File, Rounds
from explorable.panels.controls import declared_controls

# Three controls are plenty; so few stops are buttons beside each other, and a slider has at least so many.
MOST_CONTROLS, BUTTONS, SLIDER = 5, 4, 15
# Handles that stand between what is drawn, or beside it: on a line, a bar, the ground.
BESIDE = {
    *("half_sample.share", "raised_by_a_factor.decoys", "same_advantage.accused"),
    *("mip_figure_1.eta", "noise_over_spread.ratio", "posterior_bars.in_a", "posterior_bars.in_b"),
    *(
        "attack_backwards.tpr",
        "posterior_bars.out_a",
        "release_lab.eta",
        "noise_lab.eta",
        "roc_square.epsilon",
    ),
    *("mean_plank.place", "mis_figure_2a.to", "train_and_attack.iteration"),
    *("choose_lab.clip", "choose_lab.target", "choose_name.clip", "two_readers.n", "two_readers.place"),
    *("dp_security.n", "a_model_remembers.off"),
    *("dp_to_eta.epsilon", "promise.epsilon"),
}
# `eps~`, `eps`, `delta`, `sigma`, `eta`, `C_K` where a symbol should stand.
SPELT = re.compile(r"\b(?:eps(?:ilon)?~?|delta|sigma|eta|C_K|\w_\w)(?![\w(])")


def meta_of(figure: go.Figure) -> dict[str, Any]:
    return figure.layout.meta or {}


def control_faults(panel: Explorable, states: list[State]) -> Iterator[str]:
    """Yield the controls that are too many or have too few stops."""
    controls = {name: c.for_face(live=False) for name, c in panel.controls.items() if not isinstance(c, File)}
    if len(controls) > MOST_CONTROLS:
        yield f"{len(controls)} controls, and {MOST_CONTROLS} are the limit"
    for name, shown in controls.items():
        if shown.kind == "slider" and not shown.again and len(shown.stops) < SLIDER:
            yield f"{name} has {len(shown.stops)} stops: a slider has {SLIDER}, and {BUTTONS} are buttons"


def range_of(figure: go.Figure, name: str) -> Any:
    """Return what holds an axis: its range, or its categories; nothing if data moves it."""
    axis = figure.layout.to_plotly_json().get(name, {})
    if axis.get("visible") is False and axis.get("range") is None:
        return "unseen"
    if axis.get("matches"):
        return range_of(figure, re.sub(r"^([xy])", r"\1axis", axis["matches"]))
    held = axis.get("range") or axis.get("categoryarray") or _words_on(figure, name[0], name[5:])
    return None if held is None else list(held)


def _words_on(figure: go.Figure, side: str, number: str) -> list[str] | None:
    """Return the words along an axis, in their order, if it has nothing but words."""
    traces = [trace for trace in figure.data if (trace[f"{side}axis"] or side)[1:] == number]
    values = [None if trace[side] is None else list(trace[side]) for trace in traces]
    if not all(each is not None and all(isinstance(value, str) for value in each) for each in values):
        return None
    return list(dict.fromkeys(value for each in values for value in each)) or None


def axis_faults(panel: Explorable, states: list[State]) -> Iterator[str]:
    """Yield the axes that move while a slider does; another choice may be another picture."""
    picks = [n for n, c in panel.controls.items() if isinstance(c, PICKS) and c.kind != "rounds"]
    seen: dict[tuple[str, str], tuple[dict[str, Any], Any]] = {}
    for values, figure in states:
        if reason := meta_of(figure).get("moving_axes", ""):
            if len(reason) < 20:  # a reason is a sentence
                yield f"moving_axes gives no reason: {reason!r}"
            continue
        used = [(trace, side) for trace in figure.data for side in ("x", "y") if f"{side}axis" in trace]
        for name in sorted({f"{side}axis{(trace[f'{side}axis'] or side)[1:]}" for trace, side in used}):
            held = range_of(figure, name)
            if held is None:
                yield f"{name} has no range of its own: the data moves it"
                continue
            others, first = seen.setdefault((name, repr([values[pick] for pick in picks])), (values, held))
            if held != first:
                yield f"{name} is {held} at {values} and {first} at {others}"


def hold_faults(panel: Explorable, states: list[State]) -> Iterator[str]:
    """Yield what the figure offers to drag, read or compare, and cannot."""
    declared = declared_controls(panel.function)
    for values, figure in states:
        meta, traces = meta_of(figure), {trace.name: trace for trace in figure.data}
        for grab in meta.get("grab", ()):
            name, track = grab["control"], grab.get("track")
            if name not in panel.controls:
                yield f"grab: there is no control {name!r}"
            elif not re.fullmatch(r"[xy]\d?", grab["axis"]):
                yield f"grab: {grab['axis']!r} is no axis"
            elif track and not len(track["x"]) == len(track["y"]) == len(declared[name].stops):
                yield f"grab: the track of {name} needs a point for each of its stops"
            elif track and not all(
                isinstance(at, str) or math.isfinite(at) for at in (*track["x"], *track["y"])
            ):
                yield f"grab: the track of {name} has a point that is no place"
            elif track and f"{panel.function.__name__}.{name}" not in BESIDE:
                stop = declared[name].stops.index(values.get(name, declared[name].value))
                if not any(_meets(trace, track["x"][stop], track["y"][stop]) for trace in figure.data):
                    yield f"grab: the handle of {name} stands where nothing is drawn"
        for name in meta.get("probe", ()):
            if name not in traces:
                yield f"probe: there is no trace {name!r}"
            elif not (traces[name].hovertemplate or traces[name].hovertext is not None):
                yield f"probe: {name!r} has no sentence in its hovertemplate"
        yield from (f"ghost: there is no trace {n!r}" for n in meta.get("ghost", ()) if n not in traces)


def _meets(trace: Any, x: Any, y: Any) -> bool:
    """Whether a trace has a point there."""
    if trace.x is None or trace.y is None or len(trace.x) != len(trace.y):
        return False
    return bool((_near(trace.x, x) & _near(trace.y, y)).any())


def _near(values: Any, at: Any) -> np.ndarray:
    if isinstance(at, str):
        return np.asarray(values, dtype=object) == at
    try:
        return np.isclose(np.asarray(values, dtype=float), at, rtol=2e-3, atol=1e-4)
    except (TypeError, ValueError):  # words stand along this axis
        return np.zeros(len(values), dtype=bool)


def headline_faults(panel: Explorable, states: list[State]) -> Iterator[str]:
    """Yield what is wrong with the one number that is drawn large; of a game the score stands there."""
    rounds = any(isinstance(control, Rounds) for control in panel.controls.values())
    for values, figure in [] if rounds else states:
        text = meta_of(figure).get("headline", "")
        if not 2 <= len(text.split()) <= 8 or not re.search(r"\d|none|all\b", text):
            yield f"{values}: a headline is a number and 2 to 8 words in all: {text!r}"


def symbol_faults(panel: Explorable, states: list[State]) -> Iterator[str]:
    """Yield the symbols that are spelt out in what a reader sees."""
    seen = [panel.title, *(c.label or "" for c in panel.controls.values())]
    for _, figure in states:
        seen += [meta_of(figure).get(key, "") for key in ("headline", "sentence")]
        seen += [trace.name or "" for trace in figure.data]
    yield from sorted({f"{m[0]!r} in {text!r}" for text in seen for m in SPELT.finditer(text)})


CHECKS = (control_faults, axis_faults, hold_faults, headline_faults, symbol_faults)
