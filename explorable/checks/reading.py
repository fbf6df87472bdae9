"""Hold the formulas of a statement against numbers, and see that a misprint would show.

A formula is read as it is printed (`explorable.checks.formula`) and evaluated at the points of a
check.  Then errors are planted in it, one at a time (a wrong relation, constant, sign, term or name):
each must fail at one of the points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy import special

from explorable.checks import boxes, formula
from explorable.checks.formula import RELATIONS, SERIES, Chain, Node, evaluate, names_in
from explorable.checks.ledger import Check, FormulaRead, Record


@dataclass(frozen=True)
class Options:
    """How a statement is read: see `explorable.checks.Check.reads`."""

    only: tuple[str, ...]
    tol: float
    loose: str
    excused: Mapping[str, str]
    misprints: bool


def chosen(text: str, values: Mapping[str, Any], only: Sequence[str]) -> list[Chain]:
    """Return the formulas of a text that the values can be put into, or those that hold a piece.

    Parameters
    ----------
    text : str
        A statement as it is printed.
    values : mapping
        By name.
    only : sequence of str
        Pieces of formulas; if there are none, all formulas are tried.

    Raises
    ------
    AssertionError
        If there is none, if one with a piece cannot be read, or if a value stands in none.
    """
    found, why = [], []
    wanted = {formula.pressed(piece) for piece in only}
    for latex in formula.formulas(text):
        if wanted and not any(piece in formula.pressed(latex) for piece in wanted):
            continue
        try:
            found.append(formula.read(latex, values))
        except formula.Unread as reason:
            why.append(f"{' '.join(latex.split())}: {reason}")
    lost = [piece for piece in wanted if not any(piece in formula.pressed(chain.text) for chain in found)]
    if lost or not found:
        raise AssertionError(f"no formula could be read: {'; '.join(why or lost)}")
    unused = set(values).difference(*(names_in(side) for chain in found for side in chain.sides))
    if unused:
        raise AssertionError(f"in no formula that was read: {', '.join(sorted(unused))}; {'; '.join(why)}")
    return found


@dataclass(frozen=True)
class Pair:
    """Two sides of a formula at all points: equal, or the left at most the right."""

    left: Any
    right: Any
    equal: bool
    tol: float

    @property
    def off(self) -> Any:
        """How far the sides are apart, in the size of the right one; positive where the left is larger."""
        size = np.where(self.right == 0, 1.0, np.abs(self.right))
        with np.errstate(all="ignore"):
            return np.where(self.left == self.right, 0.0, (self.left - self.right) / size)

    @property
    def met(self) -> Any:
        """Where both sides agree."""
        return np.abs(self.off) <= self.tol

    def shows(self, true: Any) -> bool:
        """Tell whether this is wrong somewhere, or not met where the ``true`` pair is."""
        holds = self.met if self.equal else self.off <= self.tol
        return not holds.all() or not self.met[true].all()


def pairs(chain: Chain, values: Mapping[str, Any], tol: float) -> list[Pair]:
    """Return the sides of a formula, each with the next, at the points.

    Parameters
    ----------
    chain : Chain
    values : mapping
        By name.
    tol : float
        Relative; a decimal on one side of an equation may be off by half of its last digit.
    """
    found = []
    with np.errstate(all="ignore"):
        sides = np.broadcast_arrays(*(np.asarray(evaluate(side, values), float) for side in chain.sides))
    for i, printed in enumerate(chain.relations):
        (left, right), relation = sides[i : i + 2], RELATIONS[printed]
        room = 0.0
        if relation in "=~":
            unit = _unit(chain, chain.sides[i + 1], relation == "~")
            if unit is None and (unit := _unit(chain, chain.sides[i], relation == "~")):
                left, right = right, left
            room = unit * (1 + 1e-9) / np.abs(right).max() if unit else 0.0
        elif relation == ">=":
            left, right = right, left
        found.append(Pair(left, right, relation in "=~", min(1.0, max(tol, room))))
    return found


def _unit(chain: Chain, node: Node, always: bool) -> float | None:
    """Return half of the last digit of a decimal as it is printed; None of anything else."""
    if node.op == "times" and len(node.parts) > 1 and node.parts[1].op == "power":
        unit = _unit(chain, node.parts[0], always)
        return unit and unit * float(evaluate(node.parts[1], {}))
    printed = chain.said(node)
    if node.op != "number" or not printed[:1].isdigit() or not (always or "." in printed):
        return None
    digits = printed.removesuffix(r"\%")
    size = 1.0 if digits == printed else 0.01
    return 0.5 * size * 10.0 ** -len(digits.partition(".")[2])


def read_statement(record: Record, values: Mapping[str, Any], options: Options) -> None:
    """Compare the formulas of a statement, plant errors in them, and add both to its record.

    Raises
    ------
    AssertionError
        If a formula does not hold; if an error is not told and has no excuse, or has one in vain.
    """
    text = boxes.text(record.id)
    try:
        if text is None:
            raise AssertionError("no page has a statement of this label")
        unused = set(options.excused)
        for chain in chosen(text, values, options.only):
            found = pairs(chain, values, options.tol)
            _hold(Check(record), chain, found, options)
            caught, let = _plant(chain, found, values, options) if options.misprints else (0, {})
            unused -= {*let}
            record.readings.append(FormulaRead(chain.printed, found[0].left.size, caught, let))
        if unused and options.misprints:
            raise AssertionError(f"excused, but caught or never planted: {'; '.join(sorted(unused))}")
    except AssertionError as wrong:
        raise AssertionError(f"{record.id}: {str(wrong).removeprefix(f'{record.id}: ')}") from None


def _hold(check: Check, chain: Chain, found: list[Pair], options: Options) -> None:
    what = f"as printed: {chain.printed}"
    for pair in found:
        if pair.equal:
            check.equal(pair.left, pair.right, tol=pair.tol, what=what)
        else:
            check.at_most(pair.left, pair.right, tol=pair.tol, what=what)
            if not options.loose:
                check.true(pair.met.any(), what=f"{what}: a point reaches it", kind="bound")


@np.errstate(all="ignore")  # what is misprinted may have no value
def _plant(
    chain: Chain, true: list[Pair], values: Mapping[str, Any], options: Options
) -> tuple[int, dict[str, str]]:
    """Return how many errors in a formula show at the points, and the others with their excuses."""
    caught, let, survive = 0, dict[str, str](), list[str]()
    for name, wrong in misprints(chain, values):
        if _shows(wrong, true, values, options):
            caught += 1
            continue
        why = options.excused.get(name) or (options.loose if _of_bound(chain, wrong) else "")
        let |= {name: why} if why else {}
        survive += [] if why else [name]
    if survive:
        raise AssertionError(f"not caught in {chain.printed}: {'; '.join(survive)}")
    return caught, let


def _shows(wrong: Chain, true: list[Pair], values: Mapping[str, Any], options: Options) -> bool:
    try:
        made = pairs(wrong, values, options.tol)
    except (ArithmeticError, IndexError, ValueError):
        return True  # a function refuses the numbers, or a sum has other terms than its values
    return any(pair.shows(was.met) for pair, was in zip(made, true, strict=True))


def _of_bound(chain: Chain, wrong: Chain) -> bool:
    """Tell whether an error is in a side of a bound."""
    changed = [a != b for a, b in zip(chain.sides, wrong.sides, strict=True)]
    bounds = (i for i, printed in enumerate(chain.relations) if RELATIONS[printed] not in "=~")
    return any(changed[i] or changed[i + 1] for i in bounds)


# --- Misprints ------------------------------------------------------------------------------------

_TURNED = {"<": ">", r"\le": r"\ge", r"\leq": r"\geq"}
_TURNED |= {turned: relation for relation, turned in _TURNED.items()}
_OTHER: dict[Any, tuple[str, Any]] = {
    r"\max": (r"\min for \max", r"\min"),
    r"\min": (r"\max for \min", r"\max"),
    np.ceil: ("rounded down, not up", np.floor),
    np.floor: ("rounded up, not down", np.ceil),
}
Wrong = Iterator[tuple[str, Node]]


def _with(node: Node, i: int, *parts: Node, **values: Any) -> Node:
    """Return a formula with other parts, or none, in the place of one."""
    return replace(node, parts=(*node.parts[:i], *parts, *node.parts[i + 1 :]), **values)


def _here(chain: Chain, node: Node, halves: bool) -> Wrong:
    """Yield what may be wrong with a part of a formula, its own parts being right."""
    said, kind = chain.said(node), node.value if node.op == "call" else node.op
    if node.op == "number" and said[:1].isdigit():
        half = {node.value / 2} if halves and node.value.is_integer() else set()
        for wrong in {2 * node.value, node.value + 1, *half} - {node.value}:
            yield f"{wrong:.10g} for {said}", replace(node, value=wrong)
    if node.op == "sum":
        for i, (sign, term) in enumerate(zip(node.value, node.parts, strict=True)):
            before, after = node.value[:i], node.value[i + 1 :]
            yield f"{'+-'[sign > 0]} {chain.said(term)}", replace(node, value=(*before, -sign, *after))
            if before or after:
                yield f"without {chain.said(term)}", _with(node, i, value=before + after)
    elif node.op == "times":
        for i, factor in enumerate(node.parts):
            yield f"without factor {chain.said(factor)}", _with(node, i)
    elif kind in ("over", special.binom):
        yield f"{said} upside down", replace(node, parts=node.parts[::-1])
    elif node.op == "power":
        yield f"1 over {said}", Node("over", (Node("number", value=1.0), node), span=node.span)
    elif node.op == "relation" and node.value in _TURNED:
        turned = _TURNED[node.value]
        yield f"{turned} for {node.value} in {said}", replace(node, value=turned)
    elif kind in _OTHER:
        name, other = _OTHER[kind]
        yield f"{name}: {said}", replace(node, **{"value" if node.op == "call" else "op": other})
    elif node.op == "call" and len(node.parts) == 1 and isinstance(node.value, np.ufunc):
        yield f"{chain.said(node.parts[0])} for {said}", node.parts[0]
    if node.op in (r"\max", r"\min") and len(node.parts) > 1:
        for i, part in enumerate(node.parts):
            yield f"without {chain.said(part)}", _with(node, i)


def _twice(chain: Chain, node: Node, i: int) -> Wrong:
    """Yield a part with a factor 2 before it, where this is no other constant of its own."""
    part = node.parts[i]
    if node.op == "chain" and len(node.parts) == 2:
        other = node.parts[1 - i]
        if other.op == "number" and not other.value:
            return  # twice nothing is nothing
    if part.op == "number" or (node.op in ("times", "over", "cases") and i):
        return
    if part.op not in ("times", "sum", "over", "relation") or node.op in ("sum", "chain"):
        twice = Node("times", (Node("number", value=2.0), part), span=part.span)
        yield f"twice {chain.said(part)}", _with(node, i, twice)


def _anywhere(chain: Chain, node: Node, halves: bool = True) -> Wrong:
    yield from _here(chain, node, halves)
    for i, part in enumerate(node.parts):
        yield from _twice(chain, node, i)
        # Numbers below 1 are below it in any power, so an exponent is not halved.
        for name, wrong in _anywhere(chain, part, halves and not (node.op == "power" and i)):
            yield name, _with(node, i, wrong)


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
    free = {name: value for name, value in values.items() if name in alike - ends}
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
    rng, arrays = np.random.default_rng(0), {name: np.asarray(v, dtype=float) for name, v in values.items()}
    return {
        name: array * rng.uniform(least, most, array.shape) + rng.uniform(0.01, 0.1, array.shape)
        for name, array in arrays.items()
    }


def _same(true: Node, wrong: Node, values: Mapping[str, Any]) -> bool:
    if true == wrong:
        return True
    try:
        with np.errstate(all="ignore"):
            both = [np.asarray(evaluate(node, values)) for node in (true, wrong)]
        left, right = np.broadcast_arrays(*both)
    except (ArithmeticError, IndexError, ValueError):
        return False
    told = np.isfinite(left)
    return bool(told.any()) and np.allclose(left[told], right[told], rtol=1e-9, atol=0.0)
