"""Which functions a page of the book calls, read off its code; and their links in its HTML."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from contextlib import suppress

from explorable.sphinx.reference.rooms import ROOMS, is_public

__all__ = ["called", "linked"]

_FULL = {f"mipbook.{room}" for room in ROOMS} | {"mipbook", "mipbook.figures"}
# One name as Pygments writes it, the dot between two, and a chain of them.
_SPAN = r'<span class="n[a-z]*">(\w+)</span>'
_DOT = r'<span class="o">\.</span>'
_CHAIN = re.compile(f"(?<!{_DOT}){_SPAN}((?:{_DOT}{_SPAN})*)")
_NAME = re.compile(_SPAN)
# A name with dots in a sentence.
_PROSE = re.compile(
    r'<code class="docutils literal notranslate"><span class="pre">((?:\w+\.)+\w+)</span></code>'
)


def _bound(tree: ast.AST) -> dict[str, str]:
    """Return the names that a piece of code takes from the package, with their full names."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in _FULL:
            for name in node.names:
                found[name.asname or name.name] = f"{node.module}.{name.name}"
        elif isinstance(node, ast.Import):
            for name in node.names:
                if name.name == "mipbook" or name.asname:
                    found[name.asname or name.name] = name.name
    return {name: full for name, full in found.items() if full.startswith("mipbook")}


def _public(parts: list[str], bound: dict[str, str]) -> tuple[str, int]:
    """Return the public name that a chain of names begins with, and how many of them it takes."""
    if parts[0] not in bound:
        return "", 0
    full = bound[parts[0]]
    for count in range(1, len(parts) + 1):
        if full not in _FULL:
            return (full, count) if is_public(full) else ("", 0)
        if count < len(parts):
            full = f"{full}.{parts[count]}"
    return "", 0


def called(cells: Iterable[str]) -> tuple[dict[str, str], set[str]]:
    """Return what a page takes from the package, and the public names that its code uses.

    Parameters
    ----------
    cells : iterable of str
        The page's code, cell by cell; what is no Python is passed over.

    Examples
    --------
    >>> called(["from mipbook import mis", "mis.weights(0.5)"])[1]
    {'mipbook.mis.weights'}
    """
    trees = []
    for cell in cells:
        lines = (line for line in cell.splitlines() if not line.startswith(("%", "!")))
        with suppress(SyntaxError):
            trees.append(ast.parse("\n".join(lines)))
    bound = {name: full for tree in trees for name, full in _bound(tree).items()}
    names = set()
    for tree in trees:
        for node in ast.walk(tree):
            parts: list[str] = []
            link: ast.AST = node
            while isinstance(link, ast.Attribute):
                parts.insert(0, link.attr)
                link = link.value
            if isinstance(link, ast.Name):
                names.add(_public([link.id, *parts], bound)[0])
    return bound, names - {""}


def linked(html: str, bound: dict[str, str], address: Callable[[str], str]) -> str:
    """Return a page's HTML with a link on each public name in its code and its sentences.

    Parameters
    ----------
    html : str
        The page's body; code stands in it as Pygments writes it.
    bound : dict
        What the page takes from the package, as `called` returns it.
    address : callable
        Gives the address of a public name, or nothing if it has none.
    """

    def link(found: re.Match[str]) -> str:
        spans = [found[1], *_NAME.findall(found[2])]
        full, count = _public(spans, bound)
        # A bare name may be a variable of the page as well; a call is none.
        called_now = html.startswith('<span class="p">(', found.end())
        target = address(full) if full and (count > 1 or called_now) else ""
        if not target:
            return found[0]
        cut = [*_NAME.finditer(found[0])][count - 1].end()
        return f'<a class="mb-code" href="{target}">{found[0][:cut]}</a>{found[0][cut:]}'

    def told(found: re.Match[str]) -> str:
        parts = found[1].split(".")
        full, count = _public(parts, {**bound, "mipbook": "mipbook"})
        inside = html.rfind("<a ", 0, found.start()) > html.rfind("</a>", 0, found.start())
        target = address(full) if count == len(parts) and not inside else ""
        return f'<a class="mb-code" href="{target}">{found[0]}</a>' if target else found[0]

    html = _PROSE.sub(told, html)
    return _CHAIN.sub(link, html)
