"""The figures of the game: what they draw and say is what the package computes, round by round."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from shared import named, sentence

from mipbook import audit, figures


def test_released_people_stay_released_as_the_share_grows():
    def people_at(share, draw=1):
        dots = named(figures.game.half_sample(share, 60, draw=draw), "published")
        return set(zip(dots.x.tolist(), dots.y.tolist(), strict=True))

    assert people_at(20) < people_at(30) < people_at(90)
    assert people_at(50, 1) != people_at(50, 2)


def test_walks_are_sums_of_hints():
    few, many = (figures.game.tracing(k) for k in (100, 400))
    for side, drift in (("without", 0.0), ("with", 0.01)):
        short, long = (np.array(named(f, f"hints {side} Zoe").y).reshape(6, -1)[:, :-1] for f in (few, many))
        assert abs(long[:, -1].mean() - 400 * drift) < 3 * 2 / 6**0.5
        # A walk goes on from where it was.
        np.testing.assert_array_equal(short, long[:, : short.shape[1]])


def test_a_thousand_rounds_are_as_likely_as_their_curve_says():
    for target, sigma, side in product(("Zoe", "Finn"), (2.0, 4.0, 16.0), ("with", "without")):
        figure = figures.game.many_rounds(1000, sigma, target)
        heap = np.asarray(named(figure, f"{side} {target}").customdata)
        curve = np.asarray(named(figure, f"{side} {target}, expected").y)[::2]
        counted = curve > 5
        away = (heap - curve)[counted] ** 2 / curve[counted]
        assert away.sum() < counted.sum() + 4 * np.sqrt(2 * counted.sum())


def inside(figure):
    """The incomes of those who walk into the study when the truth is played."""
    people, there = named(figure, "the ten"), figure.layout.meta["after"][0]["marks"]["the ten"]
    return people.x[people.y != there["y"]].tolist()


def published(figure):
    return named(figure, "the published number").x[0]


@pytest.mark.parametrize("target", ["Zoe", "Finn"])
def test_rounds_tell_the_truth_and_repeat(target):
    for round in range(16):
        figure = figures.game.guess_round(round, sigma=2.0, target=target)
        meta, revealed = figure.layout.meta, inside(figure)
        assert len(revealed) == 5
        assert meta["answer"] == ("in" if named(figure, "your target").x[0] in revealed else "out")
        mean = named(figure, "their mean").x[0]
        assert np.mean(revealed) == pytest.approx(mean)
        assert list(named(figure, "the noise").x) == [mean, published(figure)]
        reply = meta["replies"][f"in/{meta['answer']}/{meta['optimal']}"]
        likely, chance = re.search(r"saying (\w+) is right (?:more than )?(\d+) in 100", reply).groups()
        assert likely == meta["optimal"]
        assert float(chance) >= 50
        assert inside(figures.game.guess_round(round, sigma=8.0, target=target)) == revealed


@pytest.mark.parametrize("target", ["Zoe", "Finn"])
def test_each_case_has_a_reply_of_its_own(target):
    replies = figures.game.guess_round(0, target=target).layout.meta["replies"]
    assert set(replies) == set(map("/".join, product(("in", "out"), repeat=3)))
    assert len(set(replies.values())) >= 6
    for case, reply in replies.items():
        said, truth, _ = case.split("/")
        assert f"{target} was {truth}" in reply
        assert reply.startswith("Right") is (said == truth)


def test_nothing_is_given_away_before_the_answer_and_the_rounds_before_lie_as_the_truth_was():
    """What is seen or played until then is the same whoever was drawn, but for the number."""
    rounds = [figures.game.guess_round(i, sigma=8.0) for i in range(16)]
    fell = {"in": [], "out": []}
    for figure in rounds:
        assert repr(figure.layout.meta["before"]) == repr(rounds[0].layout.meta["before"])
        for trace in figure.data:
            told = trace.name.startswith(("the published number", "the slip", "its ", "rounds so far"))
            if trace.meta != "reveal" and not told:
                assert repr(trace.x) == repr(named(rounds[0], trace.name).x)
        for side, numbers in fell.items():
            assert list(named(figure, f"rounds so far, {side}").x) == pytest.approx(numbers, abs=0.06)
        fell[figure.layout.meta["answer"]].append(published(figure))


def test_each_deck_is_another_draw_of_the_same_game():
    decks = [[figures.game.guess_round(i, deck=deck) for i in range(16)] for deck in range(1, 9)]
    assert len({tuple(map(published, deck)) for deck in decks}) == 8
    # All decks together are in and out at even odds.
    answers = [figure.layout.meta["answer"] for deck in decks for figure in deck]
    assert abs(answers.count("in") - 64) < 4 * np.sqrt(32)


def scored(draw, rounds, where, place=0):
    """Compare how often the best guess was right, in more rounds than the panel has, with what is said."""
    metas = [draw(i).layout.meta for i in range(rounds)]
    right = np.mean([meta["optimal"] == meta["answer"] for meta in metas])
    accuracy = float(re.findall(r"right ([\d.]+) times", metas[0][where])[place]) / 100
    assert abs(right - accuracy) <= 4 * np.sqrt(accuracy * (1 - accuracy) / rounds)
    return metas


def test_the_best_spy_and_the_best_reader_of_the_page_score_what_is_said_of_them():
    spied, read = (getattr(figures.game, name).__wrapped__ for name in ("guess_round", "raised_by_a_factor"))
    scored(lambda i: spied(i, 4.0), 400, "sentence", place=1)
    for lies in (0, 20, 50):
        for meta in scored(lambda i, lies=lies: read(i, lies), 600, "headline"):
            assert f"in/{meta['answer']}/{meta['optimal']}" in meta["replies"]


RNG = np.random.default_rng(12)
MEMBER = RNG.random(1500) < 0.5
SCORES = {"score": RNG.standard_normal(1500) + MEMBER, "member": MEMBER}
MORE = {"other": RNG.standard_normal(1500) + 0.5 * MEMBER, "canary": np.arange(1500) < 600}


def test_what_is_said_is_what_the_audit_proves():
    options = {"delta": 1e-3, "confidence": 0.9}
    figure = figures.game.score_audit(pd.DataFrame(SCORES | MORE), fpr=0.1, **options)
    want = audit.audit_scores(SCORES["score"], MEMBER, np.random.default_rng(61), **options, **MORE)
    table = {row[0]: row[1:] for row in figure.layout.meta["table"]}
    assert table["AUC"] == [f"{curve.auc:.4g} (estimate)" for curve in (want.curve, want.other)]
    proved = float(table["report"][0].removeprefix("ε ≥ ").split()[0])
    assert proved <= want.canaries.epsilon < proved + 1e-3
    said = float(sentence(figure).split("canaries prove ε ≥ ")[1].split()[0])
    assert said <= want.canaries.epsilon < said + 0.01
    assert figure.layout.meta["read"].count("is the second attack's score") == 1


def test_one_attack_without_canaries_says_nothing_of_others():
    figure = figures.game.score_audit(pd.DataFrame(SCORES))
    assert len(figure.layout.meta["table"][0]) == 2
    assert not any("second" in each.name for each in figure.data)
    assert not re.search("second|canaries", sentence(figure))
    assert "canaries" not in sentence(figures.game.score_audit(pd.DataFrame({**SCORES, "canary": 0})))
    with pytest.raises(ValueError, match="^file: row 2, column 'canary': '2' must be 1 or 0"):
        figures.game.score_audit(pd.DataFrame({**SCORES, "canary": 2}))
