"""The guessing game: its rounds repeat, and its best spy scores what is said of him."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import named

from mipbook import figures


@given(st.integers(0, 15), st.sampled_from(["Zoe", "Finn"]))
def test_rounds_tell_the_truth_and_repeat(round, target):
    figure = figures.game.guess_round(round, sigma=2.0, target=target)
    meta = figure.layout.meta
    revealed = drawn(figure)
    record = named(figure, "your target").x[0]
    assert len(revealed) == 5
    assert meta["answer"] == ("in" if record in revealed else "out")
    assert np.mean(revealed) == pytest.approx(named(figure, "their mean").x[0])
    assert list(named(figure, "the noise").x) == [
        named(figure, name).x[0] for name in ("their mean", "the published number")
    ]
    reply = meta["replies"][f"in/{meta['answer']}/{meta['optimal']}"]
    chance = float(re.search(r"in is right (?:less than |more than )?(\d+) times? in 100", reply)[1])
    assert meta["optimal"] == ("in" if chance >= 50 else "out") or chance == 50
    again = figures.game.guess_round(round, sigma=2.0, target=target)
    assert again == figure
    louder = figures.game.guess_round(round, sigma=8.0, target=target)
    assert drawn(louder) == revealed


def drawn(figure):
    """The incomes of those who walk into the study when the truth is played."""
    people, there = named(figure, "the ten"), figure.layout.meta["after"][0]["marks"]["the ten"]
    return people.x[people.y != there["y"]].tolist()


@pytest.mark.parametrize("target", ["Zoe", "Finn"])
def test_each_case_has_a_reply_of_its_own(target):
    replies = figures.game.guess_round(0, target=target).layout.meta["replies"]
    sides = ("in", "out")
    assert set(replies) == {f"{said}/{truth}/{best}" for said in sides for truth in sides for best in sides}
    assert len(set(replies.values())) >= 6
    for case, reply in replies.items():
        said, truth, _ = case.split("/")
        assert f"{target} was {truth}" in reply
        assert reply.startswith("Right") is (said == truth)


def test_nothing_is_given_away_before_the_answer():
    """What is seen or played until then is the same whoever was drawn, but for the number."""
    rounds = [figures.game.guess_round(i) for i in range(8)]
    first = rounds[0].layout.meta["before"]
    for figure in rounds:
        assert repr(figure.layout.meta["before"]) == repr(first)
        for trace in figure.data:
            told = trace.name.startswith(("the published number", "rounds so far"))
            if trace.meta != "reveal" and not told:
                assert repr(trace.x) == repr(named(rounds[0], trace.name).x)


def test_the_rounds_before_lie_on_the_axis_as_the_truth_was():
    fell = {"in": [], "out": []}
    for i in range(16):
        figure = figures.game.guess_round(i, sigma=8.0)
        for side, numbers in fell.items():
            assert list(named(figure, f"rounds so far, {side}").x) == pytest.approx(numbers, abs=0.06)
        fell[figure.layout.meta["answer"]].append(named(figure, "the published number").x[0])


def test_each_deck_is_another_draw_of_the_same_game():
    games = {deck: played(deck) for deck in range(1, 16)}
    assert len(set(games.values())) == 15
    assert played(3) == games[3]
    # All decks together are in and out at even odds.
    answers = [answer for rounds in games.values() for answer, _ in rounds]
    assert abs(answers.count("in") - 120) < 4 * np.sqrt(60)


def played(deck):
    """What a class meets that opens a deck: answers and means."""
    metas = [figures.game.guess_round(i, deck=deck) for i in range(16)]
    return tuple((f.layout.meta["answer"], named(f, "the published number").x[0]) for f in metas)


def test_the_best_spy_scores_what_is_said_of_him():
    # More rounds than the panel has.
    draw = figures.game.guess_round.__wrapped__
    rounds = [draw(i, 4.0).layout.meta for i in range(400)]
    right = np.mean([meta["optimal"] == meta["answer"] for meta in rounds])
    accuracy = float(re.findall(r"right ([\d.]+) times", rounds[0]["sentence"])[1]) / 100
    assert abs(right - accuracy) < 4 * np.sqrt(accuracy * (1 - accuracy) / len(rounds))


@pytest.mark.parametrize("lies", [0, 20, 50])
def test_the_best_reader_of_the_page_scores_what_is_said_of_him(lies):
    draw = figures.game.raised_by_a_factor.__wrapped__
    rounds = [draw(i, lies).layout.meta for i in range(600)]
    right = np.mean([meta["optimal"] == meta["answer"] for meta in rounds])
    accuracy = float(re.search(r"right ([\d.]+) times", rounds[0]["headline"])[1]) / 100
    assert abs(right - accuracy) < 4 * np.sqrt(0.25 / len(rounds))
    assert all(set(meta["replies"]) >= {f"in/{meta['answer']}/{meta['optimal']}"} for meta in rounds)
