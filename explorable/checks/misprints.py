"""Errors that could stand in a printed formula: one wrong relation, constant, sign, term, name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy import special

from explorable.checks.formula import RELATIONS, SERIES, Chain, Node, evaluate, names_in

_TURNED = {"<": ">", r"\le": r"\ge", r"\leq": r"\geq"}
_TURNED |= {turned: relation for relation, turned in _TURNED.items()}
_OTHER: dict[Any, tuple[str, Any]] = {
    r"\max": (r"\min for \max", r"\min"),
    r"\min": (r"\max for \min", r"\max"),
    np.ceil: ("rounded down, not up", np.floor),
    np.floor: ("rounded up, not down", np.ceil),
}
Wrong = Iterator[tuple[str, Node]]


def _number(value: float) -> Node:
    return Node("number", value=value)


def _times(factor: float, node: Node) -> Node:
    return Node("times", (_number(factor), node), span=node.span)


def _without(node: Node, i: int, **values: Any) -> Node:
    return replace(node, parts=node.parts[:i] + node.parts[i + 1 :], **values)


def _here(chain: Chain, node: Node, halves: bool) -> Wrong:
    """Yield what may be wrong with a part of a formula, its own parts being right."""
    said = chain.said(node)
    if node.op == "number" and said[:1].isdigit():
        half = {node.value / 2} if halves and node.value.is_integer() else set()
        for wrong in {2 * node.value, node.value + 1, *half} - {node.value}:
            yield f"{wrong:.10g} for {said}", replace(node, value=wrong)
    if node.op == "sum":
        for i, (sign, term) in enumerate(zip(node.value, node.parts, strict=True)):
            signs = [*node.value]
            signs[i] = -sign
            yield f"{'+' if sign < 0 else '-'} {chain.said(term)}", replace(node, value=tuple(signs))
            signs.pop(i)
            if signs:
                yield f"without {chain.said(term)}", _without(node, i, value=tuple(signs))
    elif node.op == "times":
        for i, factor in enumerate(node.parts):
            yield f"without factor {chain.said(factor)}", _without(node, i)
    elif node.op == "over" or (node.op == "call" and node.value is special.binom):
        yield f"{said} upside down", replace(node, parts=node.parts[::-1])
    elif node.op == "power":
        yield f"1 over {said}", Node("over", (_number(1.0), node), span=node.span)
    elif node.op == "relation" and node.value in _TURNED:
        turned = _TURNED[node.value]
        yield f"{turned} for {node.value} in {said}", replace(node, value=turned)
    elif node.op in _OTHER or (node.op == "call" and node.value in _OTHER):
        name, other = _OTHER[node.op if node.op in _OTHER else node.value]
        yield f"{name}: {said}", replace(node, **{"op" if node.op in _OTHER else "value": other})
    elif node.op == "call" and len(node.parts) == 1 and isinstance(node.value, np.ufunc):
        yield f"{chain.said(node.parts[0])} for {said}", node.parts[0]
    if node.op in (r"\max", r"\min") and len(node.parts) > 1:
        for i, part in enumerate(node.parts):
            yield f"without {chain.said(part)}", _without(node, i)


def _twice(chain: Chain, node: Node, i: int) -> Wrong:
    """Yield a part with a factor 2 before it, where this is no other constant of its own."""
    part = node.parts[i]
    if (
        node.op == "chain"
        and len(node.parts) == 2
        and node.parts[1 - i].op == "number"
        and not node.parts[1 - i].value
    ):
        return  # twice nothing is nothing
    if part.op == "number" or (node.op == "times" and i) or (node.op in ("over", "cases") and i):
        return
    if part.op not in ("times", "sum", "over", "relation") or node.op in ("sum", "chain"):
        wrong = (*node.parts[:i], _times(2.0, part), *node.parts[i + 1 :])
        yield f"twice {chain.said(part)}", replace(node, parts=wrong)


def _anywhere(chain: Chain, node: Node, halves: bool = True) -> Wrong:
    yield from _here(chain, node, halves)
    for i, part in enumerate(node.parts):
        yield from _twice(chain, node, i)
        # Numbers below 1 are below it in any power, so an exponent is not halved.
        for name, wrong in _anywhere(chain, part, halves and not (node.op == "power" and i)):
            yield name, replace(node, parts=(*node.parts[:i], wrong, *node.parts[i + 1 :]))


def _exchanged(node: Node, names: Mapping[str, str]) -> Node:
    parts = tuple(_exchanged(part, names) for part in node.parts)
    value = names.get(node.value, node.value) if node.op == "name" else node.value
    return replace(node, parts=parts, value=value)


def misprints(chain: Chain, values: Mapping[str, Any]) -> Iterator[tuple[str, Chain]]:
    """Yield the errors in a formula that would change a value, each with its name.

    Parameters
    ----------
    chain : Chain
    values : mapping
        The numbers, by name; an error that changes no value at other numbers either is none.
    """
    for i, printed in enumerate(chain.relations):
        if printed in _TURNED:
            turned = (*chain.relations[:i], _TURNED[printed], *chain.relations[i + 1 :])
            yield f"{_TURNED[printed]} for {printed}", replace(chain, relations=turned)
    whole = Node("chain", chain.sides)
    alike = {name for name, value in values.items() if not (callable(value) or isinstance(value, range))}
    names = sorted(names_in(whole) & alike)
    found = list(_anywhere(chain, whole))
    # Across an equation, exchanged names may say the same: r = 1 / n is n = 1 / r.
    equation = all(RELATIONS[printed] in "=~" for printed in chain.relations)
    sides = [names_in(side) for side in (chain.sides if equation else [whole])]
    for a, b in (pair for pair in combinations(names, 2) if any(side >= {*pair} for side in sides)):
        found.append((f"{a} and {b} exchanged", _exchanged(whole, {a: b, b: a})))
    ends = _ends(whole)
    free = {name: value for name, value in values.items() if name not in ends}
    others = [{**values, **_moved(free, *far)} for far in ((0.7, 1.3), (0.2, 4.0))]
    seen: dict[str, int] = {}
    for name, wrong in found:
        seen[name] = seen.get(name, 0) + 1
        told = name if seen[name] == 1 else f"{name} ({seen[name]})"
        pairs = list(zip(chain.sides, wrong.parts, strict=True))
        if len(pairs) == 2:  # what only goes to the other side claims the same
            left, right = (Node("sum", both, value=(1, -1)) for both in (chain.sides, wrong.parts))
            pairs = [(left, right)]
        if not all(_same(*pair, other) for other in others for pair in pairs):
            yield told, replace(chain, sides=wrong.parts)


def _ends(node: Node) -> set[str]:
    """Return the names that say how many terms a sum has."""
    own = set().union(*map(names_in, node.parts[1:])) if node.op in SERIES else set()
    return own.union(*map(_ends, node.parts))


def _moved(values: Mapping[str, Any], least: float, most: float) -> dict[str, Any]:
    """Return other numbers of the same shapes, so many times as large, none of them special."""
    rng = np.random.default_rng(0)

    def moved(value: Any) -> Any:
        if callable(value) or isinstance(value, range):
            return value
        array = np.asarray(value, dtype=float)
        return array * rng.uniform(least, most, array.shape) + rng.uniform(0.01, 0.1, array.shape)

    return {name: moved(value) for name, value in values.items()}


def _same(true: Node, wrong: Node, values: Mapping[str, Any]) -> bool:
    if true is wrong or true == wrong:
        return True
    try:
        with np.errstate(all="ignore"):
            both = [np.asarray(evaluate(node, values)) for node in (true, wrong)]
        left, right = np.broadcast_arrays(*both)
    except (ArithmeticError, IndexError, ValueError):
        return False
    told = np.isfinite(left)
    return bool(told.any()) and np.allclose(left[told], right[told], rtol=1e-9, atol=0.0)
