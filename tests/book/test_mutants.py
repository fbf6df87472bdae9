"""Every check of the book catches the errors that are planted under it.

``survivors.csv`` names those that a check still lets through. It may only shrink;
``python -m mipbook.mutants`` tells what survives today.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from mipbook import mutants

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = mutants.chapters(ROOT / "book")
LIST = Path(__file__).with_name("survivors.csv")
KNOWN = {
    (row["result"], row["function"], row["error"])
    for row in csv.DictReader(LIST.read_text(encoding="utf-8").splitlines())
}


def results(chapter: mutants.Chapter) -> set[str]:
    return {cell.result for cell in chapter.cells if cell.result}


def test_the_list_names_results_of_the_book():
    assert {row[0] for row in KNOWN} <= set().union(*map(results, CHAPTERS))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_checks_catch_planted_errors(chapter):
    verdicts = mutants.judged(chapter, ROOT / "_build" / ".mutants")
    survivors = {(v.result, v.function, v.error): str(v) for v in verdicts if v.survives}
    fresh = [told for key, told in survivors.items() if key not in KNOWN]
    assert not fresh, "\n".join(["a check lets a planted error through:", *fresh])
