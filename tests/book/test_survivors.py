"""Every check of the book catches the errors that are planted under it, or says why it need not."""

import pytest
from shared import ROOT

from explorable import checks

BOOK = ROOT / "book"
CHAPTERS = checks.chapters(BOOK)


def test_there_are_chapters_with_checks():
    assert len(CHAPTERS) >= 16


@pytest.mark.nightly
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_checks_catch_planted_errors(chapter):
    """And what the pages tell of it without having judged it is true."""
    verdicts = checks.judged(chapter, ROOT / "_build" / ".mutants")
    survivors = [str(verdict) for verdict in verdicts if verdict.survives]
    assert verdicts
    assert not survivors, "\n".join(["a check lets a planted error through:", *survivors])
    # Nothing is kept of a chapter whose code has changed since: a build judges it itself.
    kept = checks.read_kept(BOOK, chapter)
    assert kept in (None, checks.tallies(verdicts)), "run `python -m mipbook mutants --keep`"
