"""What every panel must keep to, so that a reader can hold it; each check returns what is wrong."""

import math
import random
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from every_figure import PICKS, State, corners

from explorable.panels import Explorable, File, Rounds
from explorable.panels.signature import declared_controls

# Three are plenty.
MOST_CONTROLS = 5
# So few stops are buttons beside each other; a slider has at least so many.
BUTTONS, SLIDER = 4, 15
# States drawn besides the corners.
SAMPLE = 8
# A reason is a sentence.
REASON = 20
# Handles that stand between what is drawn, or beside it: on a line, a bar, the ground.
BESIDE = {
    *("half_sample.share", "raised_by_a_factor.decoys", "same_advantage.accused"),
    *("mip_figure_1.eta", "noise_over_spread.ratio", "posterior_bars.in_a", "posterior_bars.in_b"),
    *("posterior_bars.out_a", "release_lab.eta", "roc_square.epsilon"),
    *("mean_plank.place", "mis_figure_2a.to"),
    *("choose_lab.clip", "choose_lab.target", "choose_name.clip", "two_readers.n", "two_readers.place"),
    *("dp_security.n", "mnist_table.clusters", "a_model_remembers.off", "hockey_stick.times"),
    *("dp_to_eta.epsilon", "promise.epsilon"),
}
# `eps~`, `eps`, `delta`, `sigma`, `eta`, `C_K` where a symbol should stand.
SPELT = re.compile(r"\b(?:eps(?:ilon)?~?|delta|sigma|eta|C_K|\w_\w)(?![\w(])")


def control_faults(panel: Explorable, states: Sequence[State]) -> list[str]:
    """Return the controls that are too many or have too few stops."""
    found = []
    controls = {name: c for name, c in panel.controls.items() if not isinstance(c, File)}
    if len(controls) > MOST_CONTROLS:
        found.append(f"{len(controls)} controls, and {MOST_CONTROLS} are the limit")
    for name, control in controls.items():
        shown = control.for_face(live=False)
        if shown.kind == "slider" and len(shown.stops) < SLIDER:
            found.append(
                f"{name} has {len(shown.stops)} stops: a slider has at least {SLIDER}, "
                f"and at most {BUTTONS} are buttons"
            )
    return found


def sample(panel: Explorable, more: int = SAMPLE) -> list[State]:
    """Draw the corners of a panel, and some other states."""
    draw = random.Random(0)
    wanted = list(corners(panel))
    for _ in range(more):
        wanted.append({name: draw.choice(c.stops) for name, c in panel.controls.items()})
    states = []
    for values in wanted:
        try:
            states.append((values, panel.figure(**values)))
        except ValueError:
            if not panel.may_refuse:
                raise
    return states


def used_axes(figure: go.Figure) -> set[str]:
    """Return the layout's names of the axes that something is drawn on."""
    found = set()
    for trace in figure.data:
        for side in ("x", "y"):
            if f"{side}axis" in trace:
                found.add(f"{side}axis{(trace[f'{side}axis'] or side)[1:]}")
    return found


def range_of(figure: go.Figure, name: str) -> Any:
    """Return what holds an axis: its range, or its categories; nothing if data moves it."""
    axis = figure.layout.to_plotly_json().get(name, {})
    if axis.get("visible") is False and axis.get("range") is None:
        return "unseen"
    if axis.get("matches"):
        return range_of(figure, re.sub(r"^([xy])", r"\1axis", axis["matches"]))
    held = axis.get("range") or axis.get("categoryarray") or _words_on(figure, name)
    return None if held is None else list(held)


def _words_on(figure: go.Figure, name: str) -> list[str] | None:
    """Return the words along an axis, in their order, if it has nothing but words."""
    side, number = name[0], name[5:]
    words: dict[str, None] = {}
    for trace in figure.data:
        if (trace[f"{side}axis"] or side)[1:] != number:
            continue
        values = trace[side]
        if values is None or not all(isinstance(value, str) for value in values):
            return None
        words.update(dict.fromkeys(values))
    return list(words) or None


def axis_faults(panel: Explorable, states: Sequence[State]) -> list[str]:
    """Return the axes that move while a slider does; another choice may be another picture."""
    picks = [n for n, c in panel.controls.items() if isinstance(c, PICKS) and c.kind != "rounds"]
    found, seen = [], {}
    for values, figure in states:
        reason = (figure.layout.meta or {}).get("moving_axes", "")
        if reason:
            if len(reason) < REASON:
                found.append(f"moving_axes gives no reason: {reason!r}")
            continue
        for name in sorted(used_axes(figure)):
            held = range_of(figure, name)
            if held is None:
                found.append(f"{name} has no range of its own: the data moves it")
                continue
            key = (name, repr([values[pick] for pick in picks]))
            others, first = seen.setdefault(key, (values, held))
            if held != first:
                found.append(f"{name} is {held} at {values} and {first} at {others}")
    return list(dict.fromkeys(found))


def hold_faults(panel: Explorable, states: Sequence[State]) -> list[str]:
    """Return what the figure offers to drag, read or compare, and cannot."""
    declared = declared_controls(panel.function)
    found = []
    for values, figure in states:
        meta = figure.layout.meta or {}
        traces = {trace.name: trace for trace in figure.data}
        for grab in meta.get("grab", ()):
            name, track = grab["control"], grab.get("track")
            if name not in panel.controls:
                found.append(f"grab: there is no control {name!r}")
            elif not re.fullmatch(r"[xy]\d?", grab["axis"]):
                found.append(f"grab: {grab['axis']!r} is no axis")
            elif track and not len(track["x"]) == len(track["y"]) == len(declared[name].stops):
                found.append(f"grab: the track of {name} needs a point for each of its stops")
            elif track and not all(map(_is_place, [*track["x"], *track["y"]])):
                found.append(f"grab: the track of {name} has a point that is no place")
            elif track and f"{panel.function.__name__}.{name}" not in BESIDE:
                stop = declared[name].stops.index(values.get(name, declared[name].value))
                if not any(_meets(trace, track["x"][stop], track["y"][stop]) for trace in figure.data):
                    found.append(f"grab: the handle of {name} stands where nothing is drawn")
        for name in meta.get("probe", ()):
            if name not in traces:
                found.append(f"probe: there is no trace {name!r}")
            elif not (traces[name].hovertemplate or traces[name].hovertext is not None):
                found.append(f"probe: {name!r} has no sentence in its hovertemplate")
        found += [f"ghost: there is no trace {n!r}" for n in meta.get("ghost", ()) if n not in traces]
    return list(dict.fromkeys(found))


def _is_place(value: Any) -> bool:
    return isinstance(value, str) or (value is not None and math.isfinite(value))


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


def headline_faults(panel: Explorable, states: Sequence[State]) -> list[str]:
    """Return what is wrong with the one number that is drawn large."""
    if any(isinstance(control, Rounds) for control in panel.controls.values()):
        return []  # the score stands there
    found = []
    for values, figure in states:
        text = (figure.layout.meta or {}).get("headline", "")
        if not 2 <= len(text.split()) <= 8 or not re.search(r"\d|none|all\b", text):
            found.append(f"{values}: a headline is a number and 2 to 8 words in all: {text!r}")
    return found[:3]


def symbol_faults(panel: Explorable, states: Sequence[State]) -> list[str]:
    """Return the symbols that are spelt out in what a reader sees."""
    seen = [panel.title, *(c.label or "" for c in panel.controls.values())]
    for _, figure in states:
        meta = figure.layout.meta or {}
        seen += [meta.get(key, "") for key in ("headline", "sentence")]
        seen += [trace.name or "" for trace in figure.data]
    return sorted({f"{m[0]!r} in {text!r}" for text in seen for m in SPELT.finditer(text)})[:5]


CHECKS = (control_faults, axis_faults, hold_faults, headline_faults, symbol_faults)
