"""Read the book's English for words that `docs/writing.md` advises against: ``make check``.

It reads the prose of the pages, without code and formulas, and the texts of the figures. A list
of our own serves better here than proselint or vale: what is odd in this book are a few phrases,
and their tools stumble over formulas.
"""

import ast
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
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
    r"(?-i:[.:;] Who (?:\w+ly )?\w+s\b)(?![^.]*\?)": "if you, or one who",
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


# A number that may be typed: it names something, or is a year, an entry of a list, a nought or one.
_NAMED = (
    r"\b(?:theorem|lemma|prop(?:osition)?|cor(?:ollary)?|def(?:inition)?|remark|example|problem|exercise|"
    r"figure|fig|table|section|appendix|chapter|part|equation|eq|algorithm|step|level|page|line|version|python)"
    r"(?:s|es|\.)?[ \u00a0](?:[A-Z]\.?)?\(?\d[\w.]*\)?"
    r"(?:(?:,| and| to| or|\u2013)[ \u00a0](?:[A-Z]\.?)?\d[\w.]*)*"
)
_YEAR = r"\b(?:19|20)\d\d[a-z]?\b(?![.,]?\d|%)"
# The unit in which the book says how often a guess is right, and a coin toss in it.
_SCALE = r"\b(?:50\s+times\s+)?(?:in|of)\s+100\b"
_LISTED = r"(?m)^[ \t]*(?:>[ \t]*)?\d+[.)](?=\s)"
_NUMBER = re.compile(r"(?<![\w.,^_{}/-])\d(?:[\d,.]*\d)?(?:%|\b)(?![\w^]|-(?:bit|norm))")
_STATEMENT = r"^(:{3,}|`{3,})\{prf:[^\n]*\n.*?^\1\s*$"
# Of a formula in the text what is data: a fraction, a number that something is said to be.
_DATUM = re.compile(
    r"(?:=|\\approx|\\l?eq?|\\geq?|<|>)\s*-?(\d[\d,.{}]*)\s*(?:\\%)?\s*(?=$|[,;)])"
    r"|(\d+\.\d+)|\b(10\^\{?-?\d+)"
)
_ASKED = {"mistakes", "because", "label", "reply", "replies"}
_MATH = re.compile(r"\$([^$\n]+(?:\n[^$\n]+)*)\$")


Told = Callable[[str], Iterator[tuple[int, str]]]


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
    """Keep the lines, so that places stay right, and a button's words; what is left out separates words."""
    words = match.groupdict().get("words") or ""
    return "·" + "\n" * (match[0].count("\n") - words.count("\n")) + words + "·"


def prose_of(text: str) -> str:
    """Return the prose of a page in Markdown: no code, formulas, names of links or options."""
    left_out = (
        r"\A---\n.*?\n---\n",
        r"^```(?:\w*|\{code-(?:cell|block)\}[^\n]*)\n.*?^```\s*$",
        r"^[ \t]*:[\w-]+:[ \t]*(?:$|[\w/-]+\s*$)",
        r"\$\$.*?\$\$",
        r"\$[^$\n]+(?:\n[^$\n]+)*\$",
        r"\{[\w:]+\}`(?:[^`|]*\|(?P<words>[^`]*)|[^`]*)`",
        r"`[^`\n]+`",
        r"\]\([^)\s]*\)|<https?:[^>]*>|<[\w-]+>`",
    )
    for pattern in left_out:
        text = re.sub(pattern, _blank, text, flags=re.DOTALL | re.MULTILINE)
    return text


def typed_numbers(text: str) -> Iterator[tuple[int, str]]:
    """Go through the numbers of a page's prose that are typed, not told by a cell.

    A number in a statement's block is compared with the source, one in a formula is part of it
    unless it is data, and a name (*Theorem 9*, 2019), 0 and 1 are none.
    """
    text = re.sub(_STATEMENT, _blank, text, flags=re.DOTALL | re.MULTILINE)
    # The words of a button may repeat what it sets.
    text = re.sub(r"\{set\}`([^`]*)`", _unset, text)
    text = re.sub(r"\{eval\}`[^`]*`|\{(?:prf:ref|doc|ref|cite(?::\w+)?|numref|eq)\}`[^`]*`", _blank, text)
    told = prose_of(text)
    for pattern in (_NAMED, _YEAR, _LISTED, _SCALE):
        told = re.sub(pattern, _blank, told, flags=re.IGNORECASE)
    for found in _NUMBER.finditer(told):
        if found[0] not in {"0", "1"}:
            yield told.count("\n", 0, found.start()), found[0]
    bare = re.sub(r"^```.*?^```\s*$|\$\$.*?\$\$|`[^`\n]+`", _blank, text, flags=re.DOTALL | re.MULTILINE)
    for formula in _MATH.finditer(bare):
        for found in _DATUM.finditer(formula[1]):
            number = found[1] or found[2] or found[3]
            if number not in {"0", "1"}:
                yield bare.count("\n", 0, formula.start()), number


def asked_numbers(text: str) -> Iterator[tuple[int, str]]:
    """Go through the numbers that are typed in what guesses and exercises reply."""
    for cell in re.finditer(r"(?ms)^```\{code-cell\}[^\n]*\n((?::[^\n]*\n)*)(.*?)^```", text):
        first = text.count("\n", 0, cell.start(2))
        with suppress(SyntaxError):
            calls = [node for node in ast.walk(ast.parse(cell[2])) if isinstance(node, ast.Call)]
            said = [word.value for call in calls for word in call.keywords if word.arg in _ASKED]
            for node in (node for value in said for node in ast.walk(value)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                    yield from ((first + node.lineno - 1, number) for _, number in typed_numbers(node.value))


def _unset(match: re.Match[str]) -> str:
    """Leave the words of a button without the numbers that it sets."""
    sets, _, words = match[1].rpartition("|")
    known = set(re.findall(r"\d[\d,.]*", sets))
    return re.sub(r"\d[\d,.]*\d|\d", lambda n: "·" if n[0] in known else n[0], words)


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
    found += numbers()
    for path in sorted((ROOT / "mipbook").rglob("*.py")):
        for first, text in strings_of(path.read_text(encoding="utf-8")):
            found += [Fault(path, first + n, *told) for n, *told in faults_in(text, ADVICE)]
    return found


def numbers(names: Sequence[str] = (), told: Told = typed_numbers) -> list[Fault]:
    """Return the typed numbers of the book's pages, or of those whose path holds one of the names."""
    return [
        Fault(path, 1 + line, number, "{eval}`name` of what a cell found")
        for path, text in _pages()
        if path.is_relative_to(ROOT / "book") and path.suffix == ".md"
        if not names or any(name in path.as_posix() for name in names)
        for line, number in told(text)
    ]


def main() -> None:
    """Print what should be written otherwise; leave with an error if there is any."""
    asked = sys.argv[1:2] == ["--numbers"]
    found = numbers(sys.argv[2:]) if asked else faults()
    # What a question gives may be typed; of what it was computed from, the cell has the name.
    for fault in [*found, *(numbers(sys.argv[2:], asked_numbers) if asked else ())]:
        print(fault)
    sys.exit(f"{len(found)} places to write otherwise: docs/writing.md" if found else 0)


if __name__ == "__main__":
    main()
