"""Each exercise says what it takes, beside itself, and the list of all of them says the same."""

import re
from collections import Counter

from shared import ROOT, refused

from explorable.outputs.exercises import KINDS, LEVELS, Effort, read_exercises
from explorable.outputs.lessons import polls_of
from explorable.outputs.new_chapter import all_chapters

ALL = read_exercises(ROOT)


def starts() -> list[str]:
    """The labels of all exercises, found without the reader of the list."""
    pages = [ROOT / chapter.page for chapter in all_chapters(ROOT)]
    pattern = r"\{exercise-start\}.*\n:label: (\S+)"
    return [x for page in pages for x in re.findall(pattern, page.read_text(encoding="utf-8"))]


def test_every_exercise_of_the_book_says_what_it_takes():
    assert sorted(one.label for one in ALL) == sorted(starts())
    assert [one.label for one in ALL if one.effort is None] == []
    assert [one.label for one in ALL if not one.body.startswith("{effort}`")] == []


def test_a_class_finds_all_levels_and_kinds():
    levels = Counter(one.effort.level for one in ALL)
    assert set(levels) == set(LEVELS)
    assert min(levels.values()) > 20
    assert {one.effort.kind for one in ALL} == set(KINDS)
    # Every chapter has something to begin with.
    easy = {one.page for one in ALL if one.effort.level < 3}
    assert easy == {one.page for one in ALL}


def test_what_is_no_effort_is_refused_with_what_is_allowed():
    for text in (
        *("", "4, 10, break", "0, 10, break", "1, 0, break", "1, 100, break", "1, 10, guess"),
        *("1, 10", "1, 10, break, hard", "two, 10, break", "1, 1.5, break", "1; 10; break"),
    ):
        refused("^effort = .*must be a level of 1 to 3, minutes", Effort.of, text)


# --- The list of polls names every guess that a page takes, but the drawn ones --------------------

CHAPTERS = sorted((ROOT / "book").glob("*/*.md"))


def test_every_guess_of_the_chapters_is_found():
    for path in CHAPTERS:
        text = path.read_text(encoding="utf-8")
        found = list(polls_of(text))
        assert len(found) == len(re.findall(r"(?<!Drawn)\bGuess\((?!\))", text)), path
        names = [name for name, _ in found]
        assert len(set(names)) == len(names), path
        for name, label in found:
            assert label != "Your guess", path
            assert name == "guess" or f'name="{name}"' in text
    assert sum(len(list(polls_of(path.read_text("utf-8")))) for path in CHAPTERS) >= 26
