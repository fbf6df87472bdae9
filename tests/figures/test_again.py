"""Every number that a figure tells is what another way gives, of its kind, in words that say so."""

import itertools
import random

import again
import every_figure
import pytest

from explorable import checks

# States in which a figure says what it says in few others.
RARE = {
    "security_roc": [{"nu": 0.4, "lam": 0.6, "learner": "one ball"}, {"nu": 0.7, "lam": 0.65}],
    "modular_sum_bars": [{"n": 17, "record": 3}],
    "chosen_afterwards": [{"run": i % 15 + 1, "shared": i < 15} for i in range(30)],
}


@pytest.fixture(scope="module", params=every_figure.each())
def name(request):
    return request.param


@pytest.fixture(scope="module")
def shown(name, request):
    """The corners of a figure's panels, and states drawn at random."""
    by_night = request.config.getoption("all")
    return list(states(every_figure.subject(name), 25 if by_night else 2, by_night))


def states(subject, more, every_pair):
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
    for values in {repr(sorted(values.items())): values for values in every}.values():
        try:
            yield again.Shown(values, tuple(subject.layers(values)))
        except ValueError:
            # Of the pages' panels some may refuse a state; that they do so rightly, others test.
            assert any(panel.may_refuse for panel in subject.panels)


def test_every_value_is_what_another_way_gives_and_a_wrong_one_is_not(name, shown):
    found, planted, caught = {}, set(), set()
    for state in shown:
        entries = again.must(name, state)
        for line in again.wrong(state, state.told, entries):
            found.setdefault(line.partition(":")[0], f"{dict(state.controls)}: {line}")
        for slip, told in again.planted(state.told):
            planted.add(slip)
            caught |= {slip} if again.wrong(state, told, entries) else set()
    print(name, checks.Tally(len(caught), len(planted), 0))
    assert not found, "\n".join(found.values())
    assert planted == caught, "\n".join(sorted(planted - caught))


def test_the_words_around_the_numbers_do_not_contradict_their_kinds(shown):
    found = {line for state in shown for line in again.contradictions(state)}
    assert not found, "\n".join(sorted(found))
