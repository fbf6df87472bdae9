"""Write the files of a new chapter, and its lines in the files that all chapters share."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from string import Template

from explorable import validate
from explorable.outputs.chapter.files import NOTIONS, Chapter

__all__ = ["write"]

_TEMPLATES = Path(__file__).parents[2] / "templates" / "chapter"


class _Template(Template):
    # The dollar belongs to the formulas.
    delimiter = "@"


def _kind(name: str) -> tuple[int, str]:
    """Return the place of a name in a sorted ``__all__``: constants, classes, functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def _with_name(face: str, module: str, name: str) -> str:
    """Return a package's face with one more name, imported from a module of it."""
    imports = [*re.finditer(r"^from (\S+) import [^(\n]*(\([^)]*\))?\n", face, flags=re.M)]
    later = [found.start() for found in imports if found[1] > module]
    at = later[0] if later else imports[-1].end()
    face = f"{face[:at]}from {module} import {name}\n{face[at:]}"
    listed = re.search(r"__all__ = \[(.*?)\]", face, flags=re.S)
    assert listed
    names = sorted({*re.findall(r"[\"'](\w+)[\"']", listed[1]), name}, key=_kind)
    lines = "".join(f'    "{each}",\n' for each in names)
    return f"{face[: listed.start()]}__all__ = [\n{lines}]{face[listed.end() :]}"


def _enter(root: Path, package: Path, stem: str, name: str) -> None:
    """Put a name into the face of a package: its stub, if it loads lazily."""
    stub = root / package / "__init__.pyi"
    face = stub if stub.is_file() else root / package / "__init__.py"
    module = f".{stem}" if face == stub else f"{'.'.join(package.parts)}.{stem}"
    text = _with_name(face.read_text(encoding="utf-8"), module, name)
    face.write_text(text, encoding="utf-8")


def _list(root: Path, chapter: Chapter) -> None:
    """Put the chapter into the contents, behind the others of its notion."""
    path = root / "_toc.yml"
    lines = path.read_text(encoding="utf-8").splitlines()
    same = [i for i, line in enumerate(lines) if f"file: book/{chapter.notion}/" in line]
    indent = lines[same[-1]].partition("-")[0]
    lines.insert(same[-1] + 1, f"{indent}- file: book/{chapter.name}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


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
    source, look = NOTIONS[chapter.notion]
    result = f"{source}-{chapter.slug}"
    words = {
        "title": title,
        "notion": chapter.notion,
        "stem": chapter.stem,
        "slug": chapter.slug,
        "look": look,
        "result": result,
    }
    templates = ("maths.txt", "figure.txt", "page.txt", "test_maths.txt", "test_figure.txt")
    for path, name in zip(chapter.files, templates, strict=True):
        text = _Template((_TEMPLATES / name).read_text(encoding="utf-8")).substitute(words)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    _list(root, chapter)
    rows = Path("mipbook", "ledger", "results.csv")
    with (root / rows).open("a", encoding="utf-8", newline="") as stream:
        row = [result, source, "TODO kind", "TODO number", "TODO what it says", chapter.name]
        csv.writer(stream, lineterminator="\n").writerow(row)
    _enter(root, chapter.maths.parent, chapter.stem, f"{chapter.stem}_value")
    _enter(root, chapter.figure.parent, chapter.stem, f"{chapter.stem}_curve")
    return [*chapter.files, Path("_toc.yml"), rows]
