"""Every check of the book catches the errors that are planted under it, or says why it need not."""

from functools import partial

import numpy as np
import pytest
from shared import ROOT

from explorable import checks
from explorable.checks.ledger import by_id
from explorable.checks.plant import fresh, read_chapter
from mipbook import game, mip, mis
from mipbook.game.counts import Interval

BOOK = ROOT / "book"


@pytest.mark.nightly
@pytest.mark.parametrize("chapter", checks.chapters(BOOK), ids=lambda chapter: chapter.name)
def test_checks_catch_planted_errors(chapter):
    """And what the pages tell of it without having judged it is true."""
    verdicts = checks.judged(chapter, ROOT / "_build" / ".mutants")
    survivors = [str(verdict) for verdict in verdicts if verdict.survives]
    assert verdicts
    assert not survivors, "\n".join(["a check lets a planted error through:", *survivors])
    # Nothing is kept of a chapter whose code has changed since: a build judges it itself.
    kept = checks.read_kept(BOOK, chapter)
    assert kept in (None, checks.tallies(verdicts)), "run `python -m mipbook mutants --keep`"


# A build makes a function wrong in all its calls, by 5% or more. Here stands what it cannot: some
# calls only, or another formula; each is called with the true function and its arguments.


def times(factor):
    """Scale an answer, in whatever it is wrapped."""

    def wrong(true, *given, **named):
        answer = true(*given, **named)
        many = isinstance(answer, tuple)
        return type(answer)(*(factor * part for part in answer)) if many else factor * answer

    return wrong


def always(value):
    return lambda *given, **named: value


def where(asked, wrong):
    """Make only some of the calls wrong."""

    def some(true, *given, **named):
        return wrong(true, *given, **named) if asked(*given, **named) else true(*given, **named)

    return some


def mean_eta(true, table, members, weights=None):
    """Promise for the mean record what is promised for the worst."""
    inside = np.asarray(members).mean(axis=0)
    accuracies = mip.record_accuracies(table, np.asarray(members), weights)
    return float(np.mean(accuracies - np.maximum(inside, 1 - inside)))


def half_the_leak(true, *given, **named):
    return 1 - (1 - np.asarray(true(*given, **named))) / 2


def published_constant(eta, M=2, dimension=1, as_published=False):
    return as_published and M >= 2


def slack_given(epsilon, delta=0.0, *rest, **named):
    return np.any(np.asarray(delta) > 0)


def printed(*given, bound="sharp", **named):
    return bound == "published"


VACUOUS = always(Interval(0.0, 1.0))

# Result, where the function is, its name, and what becomes of it.
PLANTED = [
    (
        "mip-thm-9",
        mip,
        "noise_scale",
        where(published_constant, lambda true, eta, *_, **__: np.divide(6.16, eta)),
    ),
    ("rip-thm-7", mip, "noise_scale", where(published_constant, always(1e-9))),
    ("mip-cor-14", mip, "noise_scale", where(published_constant, times(0.97))),
    ("rip-alg-1", mip, "fit_on_halves", where(lambda data, *_, **__: len(data) == 100, times(0.8))),
    ("mip-lemma-13", mip, "weighted_norm", lambda true, x, *_: np.abs(x).max(-1) ** 2 + 1),
    ("mip-def-1", mip, "finite_eta", mean_eta),
    ("mip-table-1", mip, "finite_eta", mean_eta),
    # What the study's picture shows of member or other patient.
    ("mip-example-3.2", mip, "peer_accuracy", lambda true, n: 0.5 + 0.7 * (true(n) - 0.5)),
    ("mip-thm-5", mip, "finite_eta", mean_eta),
    ("rip-thm-5", mip, "finite_eta", mean_eta),
    ("mip-fig-1", mip, "noise_scale", where(published_constant, times(1.05))),
    # A blind guess is taken to be right at one half.
    ("lecture-advantage", game.Confusion, "lecture_advantage", property(lambda c: abs(c.accuracy - 0.5))),
    ("lecture-example", game, "finite_epsilon", always(7.0)),
    ("limits-cor-15", mis, "security_bounds", where(lambda p, n: (len(p), n) != (2, 3), VACUOUS)),
    ("limits-lemma-21", mis, "rare_atom_bounds", where(lambda p, n: len(p) > 3, VACUOUS)),
    ("limits-remark-8", mis, "security_from_dp", where(slack_given, half_the_leak)),
    ("limits-eq-53", mis, "delta_from_dp", where(printed, times(1.5))),
    ("limits-eq-53", mis, "delta_from_dp", where(printed, where(slack_given, times(1.5)))),
    ("limits-thm-13", mis, "mean_delta_bound", lambda true, n, d, length, c=0.0: true(n, d, length)),
]


def catches(cell, space):
    """Tell whether a comparison of the check fails; what else goes wrong is no catch."""
    try:
        cell.run(fresh(space))
    except AssertionError as failed:
        if not str(failed).startswith(f"{cell.result}: "):
            raise
        return True
    return False


@pytest.mark.parametrize("chapter", sorted({by_id(row[0]).chapter for row in PLANTED}))
def test_planted_errors_are_caught(chapter, monkeypatch):
    own = {i: row for i, row in enumerate(PLANTED) if by_id(row[0]).chapter == chapter}
    missed = set(own)
    for page in BOOK.glob(f"{chapter}*.md"):
        for cell, space in read_chapter(page).checks():
            mine = {i: row for i, row in own.items() if row[0] == cell.result}
            assert not (mine and catches(cell, space)), f"{cell.result} fails without a planted error"
            for i, (_, owner, name, error) in mine.items():
                with monkeypatch.context() as patch:
                    wrong = error if isinstance(error, property) else partial(error, getattr(owner, name))
                    patch.setattr(owner, name, wrong)
                    missed -= {i} if catches(cell, space) else set()
    assert not missed, "a check lets a planted error through"
