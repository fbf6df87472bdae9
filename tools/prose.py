"""Read the book's English for words that `docs/writing.md` advises against: ``make check``.

It reads the prose of the pages, without code and formulas, and the texts of the figures. A list
of our own serves better here than proselint or vale: what is odd in this book are a few phrases,
and their tools stumble over formulas.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

# What is advised against, and what to write instead.
ADVICE = {
    r"(?<!power )(?<!power-)\blaws?\b(?! of large)": "distribution",
    r"\bnext chapter but one\b": "the chapter's name, as a link",
    r"\bplanted:": "what was planted, in a sentence",
    r"\boff by at most 0\b(?!\.)": "exact",
    r"\bothers accused,? \d": "the share first: 45% of the others are accused",
    r"\beverywhere at once\b": "a band of the whole curve",
    r"\b(?:than|near|is|like|at|to|over) a coin\b(?! toss| that| flip| with)": "a coin toss",
    r"\bcounted to the last half\b": "what the title is about",
    r"\bthe truth beneath\b": "what the title is about",
    r"\bNeighbours on this page\b": "the head's line of neighbours, where the page has some",
    r"\band the mend\b|\bthe mend\b": "the correction",
    r"\ball is lost\b": "what happens, with its number",
    r"\b(?:utili[sz]e|leverage)(?:s|d)?\b": "use",
    r"\b[Ii]n order to\b": "to",
    r"\b(?:obviously|trivially|of course|needless to say)\b": "nothing, or the reason",
    r"\bit is (?:easy|straightforward) to see\b": "the reason",
    # Small letters: titles of papers keep their spelling.
    r"\b(?-i:randomiz|minimiz|maximiz|optimiz|normaliz|discretiz|generaliz|summariz)\w*": "-ise",
    r"\b(?:neighbor|behavior|favor)\w*": "the British spelling",
    r"\b([a-z]{2,}) \1\b": "the word once",
}
# In code it is the way to write a number, so it is looked for in pages alone.
POWER = {r"(?<![\w.^{-])\d+(?:\.\d+)?e[-+]?\d+\b": "10 to a power, such as $10^{-5}$ or 10⁻⁵"}


class Fault(NamedTuple):
    """A phrase that is advised against, where it stands and what to write."""

    path: Path
    line: int
    words: str
    instead: str

    def __str__(self) -> str:
        place = f"{self.path.relative_to(ROOT)}:{self.line}"
        return f"{place}: {self.words!r}: write {self.instead}"


def _blank(match: re.Match[str]) -> str:
    """Keep the lines, so that places stay right; what is left out separates words."""
    return "·" + "\n" * match[0].count("\n") + "·"


def prose_of(text: str) -> str:
    """Return the prose of a page in Markdown: no code, formulas, names of links or options."""
    left_out = (
        r"\A---\n.*?\n---\n",
        r"^```(?:\w*|\{code-(?:cell|block)\}[^\n]*)\n.*?^```\s*$",
        r"^[ \t]*:[\w-]+:[ \t]*(?:$|[\w/-]+\s*$)",
        r"\$\$.*?\$\$",
        r"\$[^$\n]+(?:\n[^$\n]+)*\$",
        r"\{[\w:]+\}`[^`|<]*(?=[|<`])",
        r"`[^`\n]+`",
        r"\]\([^)\s]*\)|<https?:[^>]*>|<[\w-]+>`",
    )
    for pattern in left_out:
        text = re.sub(pattern, _blank, text, flags=re.DOTALL | re.MULTILINE)
    return text


def strings_of(source: str) -> Iterator[tuple[int, str]]:
    """Go through the texts of a module: strings that hold a space, without code and formulas."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            # Examples, and the names under Parameters, are code.
            code = r"^\s*((>>>|\.\.\.) .*|\w+(?= : ))"
            lines = (re.sub(code, "", line) for line in node.value.split("\n"))
            yield node.lineno, re.sub(r":math:`[^`]*`|``?[^`\n]+``?", "·", "\n".join(lines))


def _pages() -> Iterator[tuple[Path, str]]:
    using = ROOT / "docs" / "using.md"
    for path in [*sorted((ROOT / "book").rglob("*.md")), *sorted(ROOT.glob("*.md")), using]:
        if path.name != "CHANGELOG.md":
            yield path, path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "book").rglob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        told = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        yield path, "\n\n".join(told)


def faults_in(text: str, advice: Mapping[str, str]) -> Iterator[tuple[int, str, str]]:
    """Return what a text should not say: the line, counted from 0, the words, what to write."""
    for pattern, instead in advice.items():
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield text.count("\n", 0, match.start()), match[0], instead


def faults() -> list[Fault]:
    """Return all faults of the book: of its pages, and of what the package says."""
    found = [
        Fault(path, 1 + line, words, instead)
        for path, text in _pages()
        for line, words, instead in faults_in(prose_of(text), {**ADVICE, **POWER})
    ]
    for path in sorted((ROOT / "mipbook").rglob("*.py")):
        for first, text in strings_of(path.read_text(encoding="utf-8")):
            found += [Fault(path, first + n, *told) for n, *told in faults_in(text, ADVICE)]
    return found


def main() -> None:
    """Print what should be written otherwise; leave with an error if there is any."""
    found = faults()
    for fault in found:
        print(fault)
    sys.exit(f"{len(found)} places to write otherwise: docs/writing.md" if found else 0)


if __name__ == "__main__":
    main()
