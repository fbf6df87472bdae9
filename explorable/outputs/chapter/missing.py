"""What is still missing in a chapter, each with what mends it."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from explorable.outputs.chapter.files import NOTIONS, Chapter
from explorable.outputs.chapter.text import LONGEST, bare_mentions, words
from explorable.outputs.teach.exercises import exercises_of
from explorable.sphinx.words import read_head

__all__ = ["all_chapters", "missing"]

_LEAST = 5  # exercises
_RESULTS = Path("mipbook", "ledger", "results.csv")
_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", flags=re.M | re.S)


def all_chapters(root: Path) -> list[Chapter]:
    """Return all chapters, with their pages for the record, those of a notion by their names."""
    pages = (page for notion in NOTIONS for page in sorted((root / "book" / notion).glob("*.md")))
    return [Chapter(page.parent.name, page.stem) for page in pages]


def missing(root: Path, chapter: Chapter) -> list[str]:
    """Say what a chapter still lacks; nothing, if it is whole.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    chapter : Chapter
        Which chapter; its page must be there.
    """
    text = (root / chapter.page).read_text(encoding="utf-8")
    lacks = [*_unlisted(root, chapter), *_unfinished(root, chapter)]
    lacks += [*_results(root, chapter, text), *_mentions(text)]
    if chapter.is_record:
        return [*lacks, *_way_back(root, chapter, text)]
    return [*lacks, *_head(root, text), *_length(text), *_exercises(text), *_asks(text)]


def _unlisted(root: Path, chapter: Chapter) -> Iterator[str]:
    contents = (root / "_toc.yml").read_text(encoding="utf-8").splitlines()
    if f"- file: book/{chapter.name}" not in map(str.strip, contents):
        yield f"the chapter is not in the contents: add '- file: book/{chapter.name}' to _toc.yml"


def _unfinished(root: Path, chapter: Chapter) -> Iterator[str]:
    for path in chapter.files:
        if not (root / path).is_file():
            continue
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
            if "TODO" in line:
                yield f"{path.as_posix()}:{number}: {line.strip()}"


def _results(root: Path, chapter: Chapter, text: str) -> Iterator[str]:
    """Say which result of the chapter has no statement or no check in it."""
    code = "\n".join(_CELL.findall(text))
    # A figure of a paper is a picture with a name; all others are blocks with a label.
    stated = set(re.findall(r"^:{3,}\{prf:\w+\}.*?^:label: (\S+)", text, flags=re.M | re.S))
    stated |= set(re.findall(r"^    name: (\S+)", text, flags=re.M))
    checked = set(re.findall(r'^with result\("([^"]+)"', code, flags=re.M))
    with (root / _RESULTS).open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["chapter"] == chapter.name]
    for row in rows:
        name = row["id"]
        if name not in stated:
            yield f"{name} is not stated: add a block ':::{{prf:...}}' with ':label: {name}'"
        if name not in checked:
            yield f"{name} is not checked: add a cell 'with result(\"{name}\") as check:'"
        for key, value in row.items():
            if "TODO" in value:
                yield f"{_RESULTS.as_posix()}: the row of {name} does not say its {key}"


def _way_back(root: Path, chapter: Chapter, text: str) -> Iterator[str]:
    """Say whether a page for the record is tied to a chapter."""
    pages = (page for page in (root / "book" / chapter.notion).glob("*.md"))
    above = [page.name for page in pages if f"]({chapter.slug}.md" in page.read_text("utf-8")]
    if not above:
        yield f"no chapter leads here: write [on record]({chapter.slug}.md) where the thing was"
    elif not any(f"]({name}" in text for name in above):
        yield f"no link leads back: write [...]({above[0]}) in the first line"


def _head(root: Path, text: str) -> Iterator[str]:
    """Say what is wrong with the block under the title."""
    try:
        head = read_head(text, root)
    except ValueError as mistake:
        yield f"the chapter's head: {mistake}"
        return
    if head is None:
        yield "no head: add a block ':::{chapter-head}' with goal, minutes, needs under the title"


def _length(text: str) -> Iterator[str]:
    """Say whether the chapter is too long to be read to its end."""
    if words(text) > LONGEST:
        told = f"{words(text):,} words before the exercises, at most {LONGEST:,}"
        yield f"{told}: move what is not in the reader's path to a page for the record"


def _mentions(text: str) -> Iterator[str]:
    """Say which statements are named by a number without a link to them."""
    for name in dict.fromkeys(bare_mentions(text)):
        yield f"{name} is named without a link: write {{prf:ref}}`its-label`"


def _asks(text: str) -> Iterator[str]:
    """Say whether the chapter lets its reader guess, answer and act."""
    code = "\n".join(_CELL.findall(text))
    if "Guess(" not in code:
        yield "no guess is taken: add a cell 'guess = Guess(...)' under 'Guess first'"
    if "Answer(" not in code:
        yield "no exercise is answered in the page: add a cell '... = Answer(...)' to one"
    if "{set}`" not in text:
        yield "no words move a panel: write {set}`control=stop | words` where something is to try"


def _exercises(text: str) -> Iterator[str]:
    """Say which exercises lack a solution, and which solutions check nothing."""
    asked = re.findall(r"\{exercise-start\}.*\n:label: (\S+)", text)
    solved = dict(re.findall(r"\{solution-start\} (\S+)(.*?)\{solution-end\}", text, flags=re.S))
    if len(asked) < _LEAST:
        yield f"{len(asked)} exercises: a chapter has at least {_LEAST}, as '{{exercise-start}}'"
    for label in sorted({name for name in asked if asked.count(name) > 1}):
        yield f"exercise {label} is there twice: give one of them another label"
    try:
        silent = [one.label for one in exercises_of(text, "") if one.effort is None]
    except ValueError as mistake:
        silent = []
        yield f"an exercise: {mistake}"
    for label in silent:
        yield f"exercise {label} does not say what it takes: add {{effort}}`2, 10, break`"
    for label in asked:
        if label not in solved:
            yield f"exercise {label} has no solution: add '{{solution-start}} {label}'"
    for label, body in solved.items():
        if label not in asked:
            yield f"solution {label} belongs to no exercise: add one with ':label: {label}'"
        if ":class: dropdown" not in body:
            yield f"solution {label} lies open: add ':class: dropdown' below its first line"
        if not re.search(r"assert|result\(", body):
            yield f"solution {label} checks nothing: add a code cell with an assert"
