"""Every public figure draws and says, in every corner, what it must, and every panel can be held.

Every number is what another way gives (`again_*.py`), of its kind. A new figure is found by itself.
"""

import inspect
import itertools
import random

import again
import every_figure
import panel_habits
import pytest

from explorable import checks
from explorable.checked import plain

# States in which a figure says what it says in few others.
RARE = {
    "security_roc": [{"nu": 0.4, "lam": 0.6, "learner": "one ball"}, {"nu": 0.7, "lam": 0.65}],
    "modular_sum_bars": [{"n": 17, "record": 3}],
    "chosen_afterwards": [{"run": i % 15 + 1, "shared": i < 15} for i in range(30)],
}


@pytest.fixture(scope="module", params=every_figure.each())
def subject(request):
    return every_figure.subject(request.param)


@pytest.fixture(scope="module")
def states(subject):
    return subject.states()


@pytest.fixture(scope="module")
def shown(subject, request):
    """The corners of a figure's panels, and states drawn at random."""
    by_night = request.config.getoption("all")
    return list(chosen(subject, 25 if by_night else 2, by_night))


def chosen(subject, more, every_pair):
    rng = random.Random(subject.function.__name__)
    stops = {name: control.stops for name, control in subject.controls.items()}
    found = [values for panel in subject.shown() for values in every_figure.corners(panel)]
    found += RARE.get(subject.function.__name__, [])
    # What is chosen changes what is said, so each choice is made, by night each pair of few.
    picks = [name for name, c in subject.controls.items() if isinstance(c, every_figure.PICKS[:2])]
    for pair in itertools.combinations(picks, min(2, len(picks))):
        every = [stops[name] for name in pair]
        beside = zip(*map(itertools.cycle, every), strict=False)
        rows = itertools.islice(beside, max(map(len, every), default=0))
        each_way = list(itertools.product(*every) if every_pair else rows) or [()]
        found += [dict(zip(pair, each, strict=True)) for each in each_way[:16]]
    found += [{name: rng.choice(each) for name, each in stops.items()} for _ in range(more)]
    every = [subject.start | values for values in found]
    for values in {every_figure.key_of(values): values for values in every}.values():
        try:
            yield again.Shown(values, tuple(subject.layers(values)))
        except ValueError:
            assert subject.may_refuse


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


def test_every_value_is_what_another_way_gives_and_a_wrong_one_is_not(subject, shown):
    found, planted, caught = {}, set(), set()
    for state in shown:
        entries = again.must(subject.function, state)
        for line in again.wrong(state, state.told, entries):
            found.setdefault(line.partition(":")[0], f"{dict(state.controls)}: {line}")
        for slip, told in again.planted(state.told):
            planted.add(slip)
            caught |= {slip} if again.wrong(state, told, entries) else set()
    print(subject.function.__name__, checks.Tally(len(caught), len(planted), 0))
    assert not found, "\n".join(found.values())
    assert planted == caught, "\n".join(sorted(planted - caught))


def test_the_words_around_the_numbers_do_not_contradict_their_kinds(shown):
    found = {line for state in shown for line in again.contradictions(state)}
    assert not found, "\n".join(sorted(found))
