"""Every public figure draws and says, in every corner, what it must, and every panel can be held.

A new figure is found by walking the packages; it needs a test of its own for its values only.
"""

import inspect

import every_figure
import panel_habits
import pytest

from explorable.checked import plain


@pytest.fixture(scope="module", params=every_figure.each())
def subject(request):
    return every_figure.subject(request.param)


@pytest.fixture(scope="module")
def states(subject):
    return subject.states()


def test_every_parameter_is_declared(subject):
    """Its control is its range: panels and calls read it; `tests/base/test_checked.py` tries bad ones."""
    parameters = inspect.signature(subject.function).parameters
    assert list(parameters) == list(subject.controls), "annotate each with a control"
    assert plain(subject.function) is not subject.function, "its arguments are not checked"


def test_every_corner_is_right(states):
    found = {}
    for values, figure in states:
        for line in every_figure.wrong(figure):
            found.setdefault(line, values)
    assert not found, "\n".join(f"{values}: {line}" for line, values in found.items())


def test_no_axis_cuts_off_what_is_drawn(subject, states):
    found = {line for _, figure in states for line in every_figure.cut_short(figure)}
    assert bool(found) == (subject.function.__name__ in every_figure.RUNS_OUT), "\n".join(sorted(found))


def test_sliders_add_no_trace_every_control_counts_and_every_number_has_a_name(subject, states):
    found = [line for check in every_figure.CHECKS for line in check(subject, states)]
    assert not found, "\n".join(dict.fromkeys(found))


def test_every_figure_is_shown_somewhere_and_every_panel_can_be_held(subject, request):
    """With few controls, many stops and axes that stand still."""
    assert subject.panels, "show it in a chapter or an app, or delete it"
    more = 8 if request.config.getoption("all") else 2
    shown = [(panel, subject.states(panel, more=more)) for panel in subject.panels]
    faults = [line for pair in shown for check in panel_habits.CHECKS for line in check(*pair)]
    assert not faults, "\n".join(dict.fromkeys(faults))
