"""Complete a docstring for its page: what the signature and the shared glossary say already.

A docstring leaves out a parameter that means the same everywhere and types that the signature
gives.  A reader of the page has neither at hand, so they are put back here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from explorable.checked import rules_of

__all__ = ["completed"]

_SECTION = re.compile(r"^(\w[\w ]*)$")
_WORDS = {
    r"\bArrayLike\b": "array_like",
    r"\b(NDArray\[[^\]]*\]|Array|Floats|np\.ndarray)": "ndarray",
    # What a figure returns need not be said.
    r"^go\.Figure$": "",
    r"\b(np\.random|numpy\.random\._generator)\.Generator\b": "numpy.random.Generator",
    r"\bAny\b": "",
    r" \| ": " or ",
}


@dataclass
class _Entry:
    """A parameter, or several with one text, as it stands in a docstring."""

    names: list[str]
    type: str = ""
    text: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        head = ", ".join(self.names) + (f" : {self.type}" if self.type else "")
        return [head, *self.text]


def _sections(lines: list[str]) -> dict[str, list[str]]:
    """Split a docstring at its underlined titles; what stands before them has none."""
    found: dict[str, list[str]] = {"": []}
    title, skip = "", False
    for i, line in enumerate(lines):
        if skip:
            skip = False
            continue
        below = lines[i + 1] if i + 1 < len(lines) else ""
        if _SECTION.match(line) and re.fullmatch(r"-{3,}", below):
            title, skip = line, True
            found[title] = []
        else:
            found[title].append(line)
    return found


def _entries(lines: list[str]) -> list[_Entry]:
    found: list[_Entry] = []
    for line in lines:
        if line and not line.startswith(" "):
            names, _, kind = line.partition(" : ")
            found.append(_Entry([name.strip() for name in names.split(",")], kind.strip()))
        elif found:
            found[-1].text.append(line)
    return found


def _linked(kind: str, link: Callable[[str], str]) -> str:
    if re.search(r"['\"]", kind) and "`" not in kind:
        return f"``{kind}``"  # else the quotes of a choice become typographic ones
    return re.sub(r"\b[A-Z]\w+\b", lambda word: link(word[0]), kind)


def _type(annotation: object) -> str:
    """Write an annotation as the docstrings do; one that says nothing is left out."""
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    # What a figure declares beside the type is told by its own words.
    text = re.sub(r"^Annotated\[([^,]+),.*\]$", r"\1", text, flags=re.S)
    for pattern, word in _WORDS.items():
        text = re.sub(pattern, word, text)
    return "" if text == "None" else text


def _ruled(obj: Any) -> dict[str, str]:
    """Return the types behind the names of types that have a rule, such as ``Rate``."""
    inner = obj.__init__ if inspect.isclass(obj) else obj
    with suppress(NameError):  # what only a type checker sees has no rule
        hints = get_type_hints(inspect.unwrap(inner)) if (names := rules_of(inner)) else {}
        return {n: "array_like" if hints[n] is Any else inspect.formatannotation(hints[n]) for n in names}
    return {}


def _parameters(obj: Any) -> tuple[dict[str, Any], object]:
    try:
        signature = inspect.signature(obj)
    except (TypeError, ValueError):
        return {}, inspect.Parameter.empty
    ruled = _ruled(obj)
    kinds = inspect.Parameter
    stars: dict[object, str] = {kinds.VAR_POSITIONAL: "*", kinds.VAR_KEYWORD: "**"}
    taken = {
        stars.get(parameter.kind, "") + name: ruled.get(name, parameter.annotation)
        for name, parameter in signature.parameters.items()
        if name not in ("self", "cls")
    }
    return taken, signature.return_annotation


def _filled(
    written: list[_Entry], taken: Mapping[str, object], glossary: Mapping[str, tuple[str, str]]
) -> list[_Entry]:
    """Return an entry for every parameter: as it was written, else from the glossary."""
    place = {name.lstrip("*"): entry for entry in written for name in entry.names}
    found: list[_Entry] = []
    for name, annotation in taken.items():
        entry, kind = place.get(name.lstrip("*")), _type(annotation)
        if entry is None and name in glossary:
            usual, meaning = glossary[name]
            kind = kind if kind in ("float", "int") else usual
            found.append(_Entry([name], kind, [f"    {meaning}"]))
        elif entry is None:
            found.append(_Entry([name], kind))
        elif entry not in found:
            entry.type = entry.type or kind
            found.append(entry)
    # A class may describe fields that it computes.
    return found + [entry for entry in written if entry not in found]


def completed(
    lines: list[str],
    obj: Any,
    glossary: Mapping[str, tuple[str, str]],
    link: Callable[[str], str] = lambda name: name,
) -> list[str]:
    """Return a docstring with all parameters of an object's signature, each with its type.

    Parameters
    ----------
    lines : list of str
        The docstring as it was written.
    obj : object
        What it describes.
    glossary : mapping
        From the name of a parameter to its kind and what it means everywhere.
    link : callable
        Gives a class name of a type as it is to stand on the page.

    Examples
    --------
    >>> def half(n: int, eta: float = 0.1) -> float:
    ...     "Halve."
    >>> completed(["Halve."], half, {"eta": ("float", "The edge.")})[2:7]
    ['Parameters', '----------', 'n : int', 'eta : float', '    The edge.']
    """
    sections = _sections(lines)
    taken, returned = _parameters(obj)
    entries = _filled(_entries(sections.pop("Parameters", [])), taken, glossary)
    for entry in entries:
        entry.type = _linked(entry.type, link)
    done = [*sections.pop(""), ""]
    if entries:
        done += ["Parameters", "----------", *(x for entry in entries for x in entry.lines()), ""]
    kind = "" if inspect.isclass(obj) else _type(returned)
    if "Returns" not in sections and "Yields" not in sections and kind:
        sections = {"Returns": [kind], **sections}
    for title, body in sections.items():
        if title in ("Returns", "Yields"):
            body = [x if not x or x.startswith(" ") else _linked(x, link) for x in body]
        done += [title, "-" * len(title), *body, ""]
    return done
