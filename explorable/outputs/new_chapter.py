"""Make the skeleton of a chapter, or name what is missing: ``python -m mipbook new-chapter``.

The files stand in ``templates/chapter``.  What a chapter must have is said once, in `_MUST`: each
row with where it is looked for, and with what mends it.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from explorable import settings, validate

LONGEST = 3000  # words of a main text, which then takes a quarter of an hour
_LEAST = 2  # exercises, of a short chapter
_TEMPLATES = Path(__file__).parents[1] / "templates" / "chapter"
_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", flags=re.M | re.S)
# Where it is looked for, what must be found there, and what mends it; a game asks in every round.
_MUST = [
    ["code", r"Guess\(|\bround=", "no guess is taken: add a cell 'guess = Guess(...)' under 'Guess first'"],
    ["code", r"Answer\(", "no exercise is answered in the page: add a cell '... = Answer(...)' to one"],
    ["page", r"\{set\}`", "no words move a panel: write {set}`control=stop | words` in what is to try"],
    ["page", r"\{chapter-head\}", "no head: add a block ':::{chapter-head}' under the title"],
]
_SOLVED = [
    [r":class: dropdown", "lies open: add ':class: dropdown' below its first line"],
    [r"assert|result\(", "checks nothing: add a code cell with an assert"],
]
# What of a page is no prose: front, code, exercises, heads, frames of blocks, labels, formulas.
_FRONT = re.compile(r"\A---\n.*?^---\n", flags=re.M | re.S)
_END = re.compile(r"^## Exercises\b.*", flags=re.M | re.S)
_FENCED = re.compile(r"^(`{3,})\{code-cell\}.*?^\1$", flags=re.M | re.S)
_ASKED = re.compile(r"^```\{(exercise|solution)-start\}.*?^```\{\1-end\}\n```$", flags=re.M | re.S)
_HEAD = re.compile(r"^(:{3,})\{chapter-head\}.*?^\1$", flags=re.M | re.S)
_FRAME = re.compile(r"^(?:[:`]{3,}.*|:[\w-]+:.*|%.*)$", flags=re.M)
_LABEL = re.compile(r"^\([\w.-]+\)=$", flags=re.M)
_FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", flags=re.S)
_CODE = re.compile(r"(?<!\})`[^`\n]+`")
_ROLE = re.compile(r"\{([\w:-]+)\}`([^`]*)`")
_LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*\)")
_WORD = re.compile(r"[^\W\d_][\w'\u2019-]*")
_MENTION = re.compile(
    r"\b(?:Theorem|Lemma|Proposition|Corollary|Definition|Example|Remark)s?\s+\d+\b"
    r"|\b(?:Lemmas|Corollaries)\s+\d+\b"
)


class _Template(Template):
    # The dollar belongs to the formulas.
    delimiter = "@"


@dataclass(frozen=True)
class Chapter:
    """A chapter by its notion and the last part of its address: the same path in four trees.

    Examples
    --------
    >>> Chapter("mis", "my-idea").page.as_posix()
    'book/mis/my-idea.md'
    """

    notion: str
    slug: str

    @classmethod
    def named(cls, name: str) -> Chapter:
        """Return the chapter of a name such as ``mis/my-idea``; refuse one that none can have."""
        notion, _, slug = name.partition("/")
        parts = settings.book().parts
        if notion not in parts or not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug):
            allowed = f"one of {', '.join(parts)}, a slash, and words of a-z and 0-9 with hyphens"
            validate.refuse("chapter", name, f"{allowed}, such as 'mis/my-idea'")
        return cls(notion, slug)

    @property
    def name(self) -> str:
        """The name in ``results.csv``, such as ``mis/my-idea``."""
        return f"{self.notion}/{self.slug}"

    @property
    def page(self) -> Path:
        """The chapter itself."""
        return Path("book", self.notion, f"{self.slug}.md")

    @property
    def room(self) -> str:
        """The room of its mathematics."""
        return settings.book().homes.get(self.notion, self.notion)

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that are the chapter's own: maths, figure, page, and the tests of the two."""
        notion, stem = self.notion, self.slug.replace("-", "_")
        package = settings.book().package
        return (
            Path(package, self.room, f"{stem}.py"),
            Path(package, "figures", notion, f"{stem}.py"),
            self.page,
            Path("tests", self.room, f"test_{self.room}_{stem}.py"),
            Path("tests", "figures", f"test_figures_{notion}_{stem}.py"),
        )


def all_chapters(root: Path) -> list[Chapter]:
    """Return all chapters, with their pages for the record, those of a notion by their names."""
    pages = {notion: sorted((root / "book" / notion).glob("*.md")) for notion in settings.book().parts}
    return [Chapter(notion, page.stem) for notion, found in pages.items() for page in found]


def words(source: str) -> int:
    r"""Count the words of a page before its exercises, without code, formulas and frames.

    Parameters
    ----------
    source : str
        MyST Markdown.

    Examples
    --------
    >>> words("Two words, {set}`n=3 | and three` more; [a link](x.md).\n\n## Exercises\n\nNo.")
    7
    """
    text = _END.sub("", _FRONT.sub("", source))
    for part in (_FENCED, _ASKED, _HEAD, _FRAME, _LABEL, _FORMULA, _CODE):
        text = part.sub(" ", text)
    # Of a role those words that a reader meets.
    told = _ROLE.sub(lambda r: r[2].rpartition("|")[2] if r[1] == "set" else r[2].partition("<")[0], text)
    return len(_WORD.findall(_LINK.sub(r"\1", told)))


def bare_mentions(text: str) -> list[str]:
    """Return the statements that a text names by a number without a link, in its order.

    Parameters
    ----------
    text : str
        MyST Markdown, or the text of a page without its links.

    Examples
    --------
    >>> bare_mentions("By Theorem 4 and {prf:ref}`Lemma 3 <mip-lemma-3>`, Lemmas 5 to 7 hold.")
    ['Theorem 4', 'Lemmas 5']
    """
    text = _FENCED.sub(" ", _FRONT.sub("", text))
    for part in (_FRAME, _FORMULA, _ROLE, _LINK):
        text = part.sub(" ", text)
    return [" ".join(found.split()) for found in _MENTION.findall(text)]


def missing(root: Path, chapter: Chapter) -> list[str]:
    """Say what a chapter still lacks, each with what mends it; nothing, if it is whole.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    chapter : Chapter
        Which chapter; its page must be there.
    """
    text = (root / chapter.page).read_text(encoding="utf-8")
    where = {"page": text, "code": "\n".join(_CELL.findall(text))}
    lacks = [*_files(root, chapter), *_results(root, chapter, text, where["code"])]
    for name in dict.fromkeys(bare_mentions(text)):
        lacks.append(f"{name} is named without a link: write {{prf:ref}}`its-label`")
    if chapter.slug.endswith("-record"):
        return [*lacks, *_way_back(root, chapter, text)]
    lacks += [told for part, wanted, told in _MUST if not re.search(wanted, where[part])]
    if (count := words(text)) > LONGEST:
        told = f"{count:,} words before the exercises, at most {LONGEST:,}"
        lacks.append(f"{told}: move what is not in the reader's path to a page for the record")
    return [*lacks, *_exercises(root, text)]


def _table() -> Path:
    """Return where the numbered results of the book stand, as seen from the repository."""
    return Path(settings.book().package, "results.csv")


def _files(root: Path, chapter: Chapter) -> Iterator[str]:
    contents = (root / "_toc.yml").read_text(encoding="utf-8").splitlines()
    if f"- file: book/{chapter.name}" not in map(str.strip, contents):
        yield f"the chapter is not in the contents: add '- file: book/{chapter.name}' to _toc.yml"
    for path in filter(lambda path: (root / path).is_file(), chapter.files):
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
            if "TODO" in line:
                yield f"{path.as_posix()}:{number}: {line.strip()}"


def _results(root: Path, chapter: Chapter, text: str, code: str) -> Iterator[str]:
    """Say which result of the chapter has no statement or no check in it."""
    # A figure of a paper is a picture with a name; all others are blocks with a label.
    stated = {*re.findall(r"^:{3,}\{prf:\w+\}.*?^:label: (\S+)", text, flags=re.M | re.S)}
    stated |= {*re.findall(r"^    name: (\S+)", text, flags=re.M)}
    checked = {*re.findall(r'^with result\("([^"]+)"', code, flags=re.M)}
    with (root / _table()).open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["chapter"] == chapter.name]
    for row in rows:
        name = row["id"]
        if name not in stated:
            yield f"{name} is not stated: add a block ':::{{prf:...}}' with ':label: {name}'"
        if name not in checked:
            yield f"{name} is not checked: add a cell 'with result(\"{name}\") as check:'"
        for key in (key for key, value in row.items() if "TODO" in value):
            yield f"{_table().as_posix()}: the row of {name} does not say its {key}"


def _way_back(root: Path, chapter: Chapter, text: str) -> Iterator[str]:
    """Say whether a page for the record is tied to a chapter."""
    pages = (root / "book" / chapter.notion).glob("*.md")
    above = [page.name for page in pages if f"]({chapter.slug}.md" in page.read_text("utf-8")]
    if not above:
        yield f"no chapter leads here: write [on record]({chapter.slug}.md) where the thing was"
    elif not any(f"]({name}" in text for name in above):
        yield f"no link leads back: write [...]({above[0]}) in the first line"


def _exercises(root: Path, text: str) -> Iterator[str]:
    """Say what is wrong with head and exercises; which lack a solution, which check nothing."""
    from explorable.outputs.exercises import exercises_of
    from explorable.sphinx.words import read_head

    asked = re.findall(r"\{exercise-start\}.*\n:label: (\S+)", text)
    solved = dict(re.findall(r"\{solution-start\} (\S+)(.*?)\{solution-end\}", text, flags=re.S))
    if len(asked) < _LEAST:
        yield f"{len(asked)} exercises: a chapter has at least {_LEAST}, as '{{exercise-start}}'"
    for label in sorted({name for name in asked if asked.count(name) > 1}):
        yield f"exercise {label} is there twice: give one of them another label"
    try:
        read_head(text, root)
    except ValueError as mistake:
        yield f"the chapter's head: {mistake}"
    try:
        for one in exercises_of(text, ""):
            if one.effort is None:
                yield f"exercise {one.label} does not say what it takes: add {{effort}}`2, 10, break`"
    except ValueError as mistake:
        yield f"an exercise: {mistake}"
    for label in (label for label in asked if label not in solved):
        yield f"exercise {label} has no solution: add '{{solution-start}} {label}'"
    for label, body in solved.items():
        if label not in asked:
            yield f"solution {label} belongs to no exercise: add one with ':label: {label}'"
        yield from (f"solution {label} {told}" for wanted, told in _SOLVED if not re.search(wanted, body))


def write(root: Path, chapter: Chapter, title: str) -> list[Path]:
    """Write what a chapter needs; what is still to be said in it is marked TODO.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    chapter : Chapter
        Which chapter.
    title : str
        Its title.

    Returns
    -------
    list of pathlib.Path
        The files that were written or changed, as seen from ``root``.

    Raises
    ------
    ValueError
        If one of the files is there already.
    """
    for path in chapter.files:
        if (root / path).exists():
            validate.refuse("chapter", chapter.name, f"new; {path.as_posix()} is there already")
    source, look = settings.book().parts[chapter.notion]
    result, stem = f"{source}-{chapter.slug}", chapter.files[0].stem
    said = {"title": title, "notion": chapter.notion, "slug": chapter.slug}
    said |= {"room": chapter.room, "both": ", ".join(sorted(["figures", chapter.room]))}
    said |= {"stem": stem, "look": look.upper(), "result": result}
    templates = ("maths.txt", "figure.txt", "page.txt", "test_maths.txt", "test_figure.txt")
    for path, name in zip(chapter.files, templates, strict=True):
        text = _Template((_TEMPLATES / name).read_text(encoding="utf-8")).substitute(said)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    contents = root / "_toc.yml"
    lines = contents.read_text(encoding="utf-8").splitlines()
    at = max(i for i, line in enumerate(lines) if f"file: book/{chapter.notion}/" in line)
    lines.insert(at + 1, f"{lines[at].partition('-')[0]}- file: book/{chapter.name}")
    contents.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with (root / _table()).open("a", encoding="utf-8", newline="") as stream:
        row = [result, source, "TODO kind", "TODO number", "TODO what it says", chapter.name]
        csv.writer(stream, lineterminator="\n").writerow(row)
    for module, end in zip(chapter.files[:2], ("value", "curve"), strict=True):
        _offer(root / module.parent / "__init__.py", ".".join(module.with_suffix("").parts), f"{stem}_{end}")
    return [*chapter.files, Path("_toc.yml"), _table()]


def _offer(face: Path, module: str, name: str) -> None:
    """Let a package offer one more name, among its imports, which are sorted by their modules."""
    text, own = face.read_text(encoding="utf-8"), re.escape(module.rpartition(".")[0])
    imports = [*re.finditer(rf"^( *)from ({own}\.\S+) import [^(\n]*(\([^)]*\))?\n", text, flags=re.M)]
    later = [found.start() for found in imports if found[2] > module]
    at = later[0] if later else imports[-1].end()
    line = f"{imports[0][1]}from {module} import {name}\n"
    face.write_text(text[:at] + line + text[at:], encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Make a chapter that is new; of one that is there, name what is missing.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line, by default the process's own; ``--help`` tells what it takes.
    """
    from explorable.sphinx.build import check_root

    told = "Write the skeleton of a chapter; of one that is there, name what is missing."
    parser = argparse.ArgumentParser(prog=f"{settings.book().command} new-chapter", description=told)
    parser.add_argument("chapter", nargs="?", help="such as mis/my-idea; none for all that are there")
    parser.add_argument("--title", help="of a new chapter (default: from its name)")
    parser.add_argument("--missing", action="store_true", help="write nothing, name what is missing")
    options = parser.parse_args(arguments)
    root = Path.cwd()
    check_root(root)
    if options.chapter is None and not options.missing:
        parser.error("name a chapter, such as mis/my-idea, or ask with --missing")
    chapters = [Chapter.named(options.chapter)] if options.chapter else all_chapters(root)
    there = [chapter for chapter in chapters if (root / chapter.page).is_file()]
    lacking = {chapter.name: missing(root, chapter) for chapter in there}
    for name, lacks in lacking.items():
        print(f"{name}: {'missing' if lacks else 'nothing is missing'}", *lacks, sep="\n  ")
    if there:
        sys.exit(1 if any(lacking.values()) else 0)
    (chapter,) = chapters
    if options.missing:
        sys.exit(f"{chapter.page.as_posix()} is not there: leave out --missing to have it made")
    for path in write(root, chapter, options.title or chapter.slug.replace("-", " ").capitalize()):
        print(f"wrote {path.as_posix()}")
    print("\nFill in each TODO; the same command again names what is missing.")
