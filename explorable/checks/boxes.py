"""The statements of a book as they are printed: their texts, found by their labels in its pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_BOX = re.compile(r"^(:{3,})\{prf:\w+\}([^\n]*)\n:label: (\S+)\n(.*?)^\1[ \t]*$", flags=re.M | re.S)
_CODE = re.compile(
    r"\A---\n.*?^---\n|^(`{3,})(?:\w*|\{code-(?:cell|block)\}[^\n]*)\n.*?^\1[ \t]*$", flags=re.M | re.S
)
_FORMULA = re.compile(r"\$\$(.*?)\$\$|\$([^$]+)\$", flags=re.S)
_SAYS = re.compile(r"\d|[=<>]|\\(?:approx|le|leq|ge|geq|ne|sim|in|ll|gg)(?![a-zA-Z])")

# Comments are matched so that a quotation mark in one begins nothing.
_LITERAL = re.compile(r"""#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")


def pages(here: Path | None = None) -> Path | None:
    """Return the folder of the book's pages that a folder, or this process, is in; None away from them."""
    here = here or Path.cwd()
    roots = (folder for folder in (here, *here.parents) if (folder / "_toc.yml").is_file())
    root = next(roots, None)
    return root / "book" if root and (root / "book").is_dir() else root


def in_page(text: str) -> dict[str, str]:
    """Return the statements of a page, title and text, by their labels."""
    return {label: f"{title.strip()}\n{body}" for _, title, label, body in _BOX.findall(text)}


@lru_cache(maxsize=1024)
def _in_file(path: Path, changed: int) -> dict[str, str]:
    return in_page(path.read_text(encoding="utf-8"))


def in_book(folder: Path) -> dict[str, str]:
    """Return the statements of all pages, in the order of the files."""
    files = sorted(folder.rglob("*.md"))
    return {k: v for path in files for k, v in _in_file(path, path.stat().st_mtime_ns).items()}


def text(label: str, here: Path | None = None) -> str | None:
    """Return a statement as it is printed; None away from the book's pages."""
    folder = pages(here)
    return in_book(folder).get(label) if folder else None


def read_by(code: str, here: Path | None = None) -> str:
    """Return the statements that the checks in some code read, for their digest.

    Examples
    --------
    >>> read_by("x = 1")
    ''
    """
    if ".reads(" not in code:
        return ""
    names = re.findall(r'^with result\("([^"]+)"', code, flags=re.M)
    return "".join(filter(None, (text(name, here) for name in sorted(set(names)))))


def outside(page: str) -> Iterator[str]:
    """Yield the formulas of a page outside its statements that hold a relation or a number."""
    for shown, inline in _FORMULA.findall(_BOX.sub("", _CODE.sub("", page))):
        if _SAYS.search(shown or inline):
            yield shown or inline


def claims(text: str, code: bool = False) -> Iterator[str]:
    r"""Yield the paragraphs of a page outside its statements, or the strings of code, however broken.

    Examples
    --------
    >>> list(claims("Noise of {eval}`scale`\nkeeps *every* attacker out."))
    ['Noise of {eval}`scale` keeps *every* attacker out.']
    >>> list(claims('sentence="At most {found} are found."', code=True))
    ['"At most {found} are found."']
    >>> list(claims('{"low": f"It is more.", "near": f"# it is."}  # "no text"', code=True))
    ['"It is more." "# it is."']
    """
    if code:
        text = _quoted(re.sub(r'"""(.*?)"""', "", text, flags=re.S))
    text = _BOX.sub("", _CODE.sub(lambda cell: _quoted(cell[0]), text))
    found = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    yield from filter(None, found)


def _quoted(code: str) -> str:
    literals = _LITERAL.findall(code)
    return "\n".join(literal for literal in literals if literal[0] != "#" and " " in literal)
