"""What the checks of a book catch, kept beside its pages while all that it hangs on stands.

To judge all checks takes nearly as long as the rest of a build.  So the counts travel with the
pages, under a digest of what they hang on, and the tests judge every check and compare.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path

from explorable import sources
from explorable.checks.mutants.chapter import Chapter
from explorable.checks.mutants.verdict import Tally

__all__ = ["FILE", "code", "read_kept", "write_kept"]

FILE = "planted.json"
# What plants and judges, besides what the chapters' own code reaches.
_JUDGE = "import explorable.checks.mutants"


def code(chapter: Chapter) -> str:
    """Return all code that what a chapter's checks catch depends on.

    Parameters
    ----------
    chapter : Chapter
    """
    return "\n".join([_JUDGE, *(cell.source for cell in chapter.cells)])


def read_kept(book: Path, chapter: Chapter) -> dict[str, Tally] | None:
    """Return what a chapter's checks catch, by result; None if it was another code that did.

    Parameters
    ----------
    book : pathlib.Path
        The folder of the book's sources.
    chapter : Chapter

    Raises
    ------
    ValueError
        If the file is none that `write_kept` wrote.
    """
    path = book / FILE
    if not path.is_file():
        return None
    try:
        kept = json.loads(path.read_text(encoding="utf-8")).get(chapter.name, {})
        caught = {name: Tally(*counts) for name, counts in kept.get("caught", {}).items()}
    except (AttributeError, TypeError, ValueError) as error:
        told = "must be as `python -m mipbook mutants --keep` writes it"
        raise ValueError(f"{path}: {told} ({error}); remove it, or make it anew") from None
    return caught if kept.get("of") == sources.digest(code(chapter), portable=True) else None


def write_kept(book: Path, caught: Mapping[str, dict[str, Tally]], found: list[Chapter]) -> None:
    """Keep what the checks of all chapters catch, a line each.

    Parameters
    ----------
    book : pathlib.Path
        The folder of the book's sources.
    caught : mapping of dict of Tally
        By the chapters' names, then by result.
    found : list of Chapter
    """
    lines = []
    for chapter in found:
        counts = {name: astuple(tally) for name, tally in caught[chapter.name].items()}
        entry = {"of": sources.digest(code(chapter), portable=True), "caught": counts}
        lines.append(f"{json.dumps(chapter.name)}: {json.dumps(entry)}")
    part = (book / FILE).with_suffix(".part")
    part.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    part.replace(book / FILE)  # whole or not at all
