r"""Read a formula as it is printed: LaTeX in, numbers out.

A formula is read with the names that have a value: ``\varepsilon``, ``\Pr[V \ge v]``, ``t(x)``.
Whatever is not one of them, nor a number, nor a function that everybody knows, is not read.
A letter stands for a product with its neighbours, as in print: ``n p`` is ``n`` times ``p``, and
``a / 2b`` is ``a`` over ``2b``.

Why this and no parser for mathematics of all kinds: ``docs/decisions``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from explorable.checks.boxes import FORMULA

Function = Callable[..., Any]

RELATIONS = {"=": "=", r"\approx": "~", "<": "<=", r"\le": "<=", r"\leq": "<=", ">": ">="}
RELATIONS |= {r"\ge": ">=", r"\geq": ">="}
_SPACE = r"\\(?:left|right|[bB]igg?[lr]?|(?:no)?limits|ldots)(?![a-zA-Z])|\\[,;:!> ]|[\s~]+"
_TOKEN = re.compile(
    rf"(?P<space>{_SPACE})|(?P<number>\d+(?:\{{,\}}\d{{3}})*(?:\.\d+)?)"
    r"|(?P<sign>\\(?:begin|end)\{\w+\}|\\(?:operatorname|mathrm|text)\{[^{}]*\}|\\[a-zA-Z]+|\\.|'+|.)",
    flags=re.S,
)
_NUMPY = ("log", "exp", "tanh", "sinh", "cosh")
_FUNCTIONS: dict[str, Function] = {rf"\{name}": getattr(np, name) for name in _NUMPY}
_FUNCTIONS |= {r"\ln": np.log, r"\Phi": special.ndtr, "artanh": np.arctanh, "erf": special.erf}
_INVERSE: dict[Function, Function] = {special.ndtr: special.ndtri, np.tanh: np.arctanh, np.exp: np.log}
# What takes so many arguments, each a group, a sign or a digit: its part of a formula.
_TAKES: dict[str, tuple[int, str, Function | None]] = {r"\sqrt": (1, "call", np.sqrt)}
_TAKES |= dict.fromkeys((r"\frac", r"\tfrac", r"\dfrac"), (2, "over", None))
_TAKES |= dict.fromkeys((r"\binom", r"\tbinom"), (2, "call", special.binom))
_CLOSED = {"(": ")", "[": "]", r"\{": r"\}", r"\lceil": r"\rceil", r"\lfloor": r"\rfloor"}
_CLOSED |= {"|": "|", r"\lvert": r"\rvert", "{": "}"}
_AROUND: dict[str, Function] = {"|": np.abs, r"\lvert": np.abs, r"\lceil": np.ceil, r"\lfloor": np.floor}
# What stands behind: a factorial, and what is cut off below 0.
_AFTER: dict[str, Function] = {"!": lambda n: special.gamma(n + 1.0), "_": lambda x: np.maximum(x, 0.0)}
_EXTREME = {r"\max": np.maximum, r"\min": np.minimum}
_OF_MANY = {"times": np.multiply, **_EXTREME}
_CONSTANTS = {"e": np.e, r"\pi": np.pi, r"\infty": np.inf}
SERIES = (r"\sum", r"\prod")
_COMMAS = (",", ";", r"\mid", r"\|")


class Unread(ValueError):
    """What stands there is no formula of the names that are given."""


@dataclass(frozen=True)
class Node:
    """A part of a formula: what it does with its parts, and where it stands in the text."""

    op: str
    parts: tuple[Node, ...] = ()
    value: Any = None
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Chain:
    """A formula that claims something: its text, its sides, and the relations between them."""

    text: str
    sides: tuple[Node, ...]
    relations: tuple[str, ...]

    @property
    def printed(self) -> str:
        """It, in one line."""
        return " ".join(self.text.split())

    def said(self, node: Node) -> str:
        """Return how a part of it is printed."""
        return " ".join(self.text[slice(*node.span)].split())


@dataclass(frozen=True)
class _Token:
    text: str
    start: int
    end: int
    kind: str


def _tokens(latex: str) -> list[_Token]:
    found = (m for m in _TOKEN.finditer(latex) if m.lastgroup != "space")
    return [_Token(m[0], *m.span(), str(m.lastgroup)) for m in found]


def pressed(latex: str) -> str:
    """Return a formula without what changes its looks alone."""
    return "".join(token.text for token in _tokens(latex))


@functools.cache
def _key(name: str) -> tuple[str, ...]:
    return tuple(token.text for token in _tokens(name))


class _Reader:
    """Goes through the tokens of one formula, from left to right."""

    def __init__(self, text: str, values: Mapping[str, Any]) -> None:
        self.text, self.tokens, self.at = text, _tokens(text), 0
        self.names = sorted(values, key=lambda name: -len(_key(name)))
        self.values, self.local = values, list[str]()

    def peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        found = self.peek()
        if wanted and found not in wanted:
            raise Unread(f"{' or '.join(wanted)} is missing before {found or 'the end'!r}")
        self.at += 1
        return found

    def skip(self, *unwanted: str) -> bool:
        """Go past the next token if it is one of these, and say whether it was."""
        found = self.peek() in unwanted
        self.at += found
        return found

    def made(self, first: int, op: str, *parts: Node, value: Any = None) -> Node:
        return Node(op, parts, value, (self.tokens[first].start, self.tokens[self.at - 1].end))

    def unread(self, first: int) -> Unread:
        return Unread(f"no value for {self.text[self.tokens[first].start :][:24]!r}")

    def chain(self) -> Chain:
        sides, relations = [self.sum()], []
        while self.peek() in RELATIONS:
            relations.append(self.take())
            sides.append(self.sum())
        if self.peek() or not relations:
            raise Unread(f"{self.peek() or 'no relation'!r} is nothing that has a value")
        return Chain(self.text, tuple(sides), tuple(relations))

    def relation(self) -> Node:
        first, left, relation = self.at, self.sum(), self.take(*RELATIONS)
        return self.made(first, "relation", left, self.sum(), value=relation)

    def sum(self) -> Node:
        first, signs, terms = self.at, list[int](), list[Node]()
        while not terms or self.peek() in ("+", "-"):
            signs.append(-1 if self.peek() == "-" else 1)
            self.skip("+", "-")
            terms.append(self.term())
        if signs == [1]:
            return terms[0]
        return self.made(first, "sum", *terms, value=tuple(signs))

    def term(self) -> Node:
        first, made = self.at, self.product()
        while self.peek() in ("/", r"\cdot", r"\times"):
            op = "over" if self.take() == "/" else "times"
            made = self.made(first, op, made, self.product())
        return made

    def product(self, function: bool = True) -> Node:
        """Read what stands side by side; without ``function`` none of it may be one."""
        first, factors = self.at, [self.factor()]
        while self._begins(function):
            factors.append(self.factor())
        return factors[0] if len(factors) == 1 else self.made(first, "times", *factors)

    def _begins(self, function: bool) -> bool:
        token = self.peek()
        ends = {"", "+", "-", "/", r"\cdot", r"\times", r"\\", "&", *RELATIONS, *_COMMAS, *_CLOSED.values()}
        ends |= set() if function else {*_FUNCTIONS, *_EXTREME, *SERIES, r"\operatorname{erf}"}
        return token not in ends and not token.startswith((r"\end", r"\text", r"\quad"))

    def factor(self) -> Node:
        first, made = self.at, self.base()
        while self.peek() in ("^", "_", "!"):
            sign = self.take()
            if sign == "^":
                made = self.made(first, "power", made, self.argument())
            elif sign == "!" or self.skip("+"):
                made = self.made(first, "call", made, value=_AFTER[sign])
            else:
                raise self.unread(first)
        if self.peek().startswith("'"):
            raise self.unread(first)
        return made

    def argument(self) -> Node:
        r"""Take what a ``\frac`` or a ``^`` takes: a group, one sign or one digit."""
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        if token and token.kind == "number" and len(token.text) > 1:
            digit = replace(token, text=token.text[0], end=token.start + 1)
            rest = replace(token, text=token.text[1:], start=token.start + 1)
            self.tokens[self.at : self.at + 1] = [digit, rest]
        if token and token.text == "-":
            raise Unread("a sign stands alone")
        return self.base()

    def base(self) -> Node:
        first = self.at
        for name in [*self.local, *self.names]:
            key = _key(name)
            if tuple(t.text for t in self.tokens[first : first + len(key)]) == key:
                self.at += len(key)
                if callable(self.values.get(name)) and name not in self.local:
                    return self.made(first, "call", *self.arguments(), value=name)
                return self.made(first, "name", value=name)
        token = self.take()
        if not token:
            raise Unread("nothing")
        if self.tokens[first].kind == "number":
            size = 100 if self.skip(r"\%") else 1
            return self.made(first, "number", value=float(token.replace("{,}", "")) / size)
        if token in _CLOSED:
            inner = self.sum()
            self.take(_CLOSED[token])
            around = _AROUND.get(token)
            return self.made(first, "call", inner, value=around) if around else inner
        if token in _TAKES:
            count, op, function = _TAKES[token]
            return self.made(first, op, *(self.argument() for _ in range(count)), value=function)
        if token in _EXTREME:
            return self.made(first, token, *self.arguments())
        if token in SERIES:
            return self._series(first, token)
        word = re.sub(r"\\operatorname\{(\w+)\}", r"\1", token)
        if word in _FUNCTIONS:
            return self._function(first, _FUNCTIONS[word])
        if token == r"\begin{cases}":
            return self._cases(first)
        if token in _CONSTANTS:
            return self.made(first, "number", value=_CONSTANTS[token])
        raise self.unread(first)

    def arguments(self) -> list[Node]:
        closing = _CLOSED[self.take("(", "[", "{", r"\{")]
        found = [self.sum()]
        while self.peek() != closing:
            self.take(*_COMMAS)
            found.append(self.sum())
        self.take()
        return found

    def _function(self, first: int, function: Function) -> Node:
        base = self.argument() if self.skip("_") else None
        power = self.argument() if self.skip("^") else None
        if power and power.op == "sum" and power.parts[0].value == 1 and power.value == (-1,):
            function, power = _INVERSE[function], None
        closed = self.peek() in _CLOSED and self.peek() != "|"
        inner = self.argument() if closed else self.product(function=False)
        made = self.made(first, "call", inner, value=function)
        if base:
            made = self.made(first, "over", made, Node("call", (base,), function, base.span))
        return self.made(first, "power", made, power) if power else made

    def _series(self, first: int, token: str) -> Node:
        r"""Read ``\sum_{k=0}^m``, or ``\sum_{k \ge v}`` with the range of ``k`` among the values."""
        self.take("_")
        braced = self.skip("{")
        index, limits = self.take(), []
        self.local.insert(0, index)
        if braced and self.skip("="):
            limits = [self.sum()]
            self.take("}")
            self.take("^")
            limits.append(self.argument())
        elif braced:
            if not self.skip(":") and self.peek() != "}":
                self.at -= 1  # the condition begins with the index
            if self.peek() != "}":
                limits = [self.relation()]
            self.take("}")
        body = self.term()
        self.local.remove(index)
        return self.made(first, token, body, *limits, value=index)

    def _cases(self, first: int) -> Node:
        r"""Read ``value, & condition \\ value & otherwise``."""
        parts: list[Node] = []
        while self.peek() != r"\end{cases}":
            parts.append(self.sum())
            self.skip(",")
            self.take("&")
            otherwise = self.peek().startswith(r"\text") and self.take()
            parts.append(Node("number", value=1.0) if otherwise else self.relation())
            self.skip(",", ".")
            if self.skip(r"\\") and self.peek() == "[":  # the space after a line
                while self.take() not in ("]", ""):
                    pass
        self.take()
        return self.made(first, "cases", *parts)


def read(latex: str, names: Mapping[str, Any]) -> Chain:
    r"""Return a formula with its sides and relations.

    Parameters
    ----------
    latex : str
        For instance ``\eta = \frac\delta2``.
    names : mapping
        The names that have a value, as they are printed, and their values.

    Raises
    ------
    Unread
        If something in it has no value.
    """
    return _Reader(latex, names).chain()


def formulas(text: str) -> list[str]:
    r"""Return the formulas in a Markdown text that hold a relation, each claim by itself.

    Examples
    --------
    >>> formulas(r"Let $n \ge 2$. Then $a = b, \qquad c < 1$ and $x$.")
    ['n \\ge 2', 'a = b', 'c < 1']
    """
    found = []
    for shown, inline in FORMULA.findall(text):
        latex = re.sub(r"\\(?:begin|end)\{aligned\}|\\tag\{[^}]*\}", " ", shown or inline)
        latex = latex if r"\begin{cases}" in latex else latex.replace("&", " ")
        found += [part for part in _claims(latex) if any(t.text in RELATIONS for t in _tokens(part))]
    return found


def _claims(latex: str) -> Iterable[str]:
    """Cut a formula where no bracket is open: at commas, words, wide spaces and ends of lines."""
    depth, start = 0, 0
    for m in _TOKEN.finditer(latex):
        depth += m[0] in "([{" or m[0] in (r"\{", r"\begin{cases}")
        depth -= m[0] in ")]}" or m[0] in (r"\}", r"\end{cases}")
        if depth <= 0 and (m[0] in (",", r"\quad", r"\qquad", r"\\", ":", ".") or m[0].startswith(r"\text")):
            yield latex[start : m.start()].strip()
            start = m.end()
    yield latex[start:].strip()


def evaluate(node: Node, values: Mapping[str, Any]) -> Any:
    """Return the value of a part of a formula.

    Parameters
    ----------
    node : Node
    values : mapping
        Numbers, arrays that fit each other, or functions of such, by name.
    """
    if node.op in SERIES:
        return _summed(node, values)
    parts = [np.asarray(evaluate(part, values), dtype=float) for part in node.parts]
    match node.op:
        case "number":
            return node.value
        case "name":
            return values[node.value]
        case "sum":
            return sum(sign * part for sign, part in zip(node.value, parts, strict=True))
        case "over":
            return parts[0] / parts[1]
        case "power":
            return parts[0] ** parts[1]
        case "relation":
            left, right = parts[::-1] if RELATIONS[node.value] == ">=" else parts
            return left < right if node.value in "<>" else left <= right
        case "cases":
            return np.select([c.astype(bool) for c in parts[1::2]], parts[::2], np.nan)
        case "call":
            function = values[node.value] if isinstance(node.value, str) else node.value
            return function(*parts)
    return functools.reduce(_OF_MANY[node.op], parts)


def _summed(node: Node, values: Mapping[str, Any]) -> Any:
    """Sum over one more axis, the last: the index runs there, and so do names that carry it."""
    index, (body, *limits) = node.value, node.parts
    shown: Any = True
    inner = {
        name: value if callable(value) or index in _key(name) else np.asarray(value)[..., None]
        for name, value in values.items()
    }
    if len(limits) == 2:
        low, high = (np.asarray(evaluate(limit, values)) for limit in limits)
        inner[index] = np.arange(low.min(), high.max() + 1)
        shown = (inner[index] >= low[..., None]) & (inner[index] <= high[..., None])
    elif index in inner:
        inner[index] = np.asarray(inner[index])
    if len(limits) == 1:
        shown = evaluate(limits[0], inner)
    total, nothing = (np.sum, 0.0) if node.op == r"\sum" else (np.prod, 1.0)
    return total(np.where(shown, evaluate(body, inner), nothing), axis=-1)


def names_in(node: Node) -> set[str]:
    """Return the names that a part of a formula holds."""
    own = {node.value} if node.op in ("name", "call", *SERIES) and isinstance(node.value, str) else set()
    return own.union(*map(names_in, node.parts))
