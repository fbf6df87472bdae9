"""The list of polls names every guess that a page takes, but the drawn ones."""

import re

from shared import ROOT

from explorable.outputs.lessons import polls_of

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


def test_names_and_labels_are_those_of_the_call():
    cell = "```{code-cell} ipython3\n:tags: [remove-input]\n{}\n```\n"
    two = 'a = Guess(1, label="One?")\nb = Guess("x", name="guess-b", label="Two?")'
    assert list(polls_of(cell.replace("{}", two))) == [("guess", "One?"), ("guess-b", "Two?")]
    assert list(polls_of(cell.replace("{}", "DrawnGuess(x, y)"))) == []
    assert list(polls_of("Guess(1)")) == []
