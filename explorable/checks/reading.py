"""Hold the formulas of a statement against numbers, and see that a misprint would show.

A formula is read as it is printed (`explorable.checks.formula`) and evaluated at the points of a
check.  Then errors are planted in it (`explorable.checks.misprints`): each must fail at one of the
points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from explorable.checks import boxes, formula
from explorable.checks.ledger import Check, FormulaRead, Record
from explorable.checks.misprints import misprints


@dataclass(frozen=True)
class Options:
    """How a statement is read: see `explorable.checks.Check.reads`."""

    only: tuple[str, ...] = ()
    tol: float = 1e-9
    loose: str = ""
    excused: dict[str, str] = field(default_factory=dict)
    misprints: bool = True


def chosen(text: str, values: Mapping[str, Any], only: Sequence[str]) -> list[formula.Chain]:
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
    unused = set(values).difference(*(formula.names_in(side) for chain in found for side in chain.sides))
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


def pairs(chain: formula.Chain, values: Mapping[str, Any], tol: float) -> list[Pair]:
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
        sides = np.broadcast_arrays(
            *(np.asarray(formula.evaluate(side, values), float) for side in chain.sides)
        )
    for i, printed in enumerate(chain.relations):
        (left, right), relation = sides[i : i + 2], formula.RELATIONS[printed]
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


def _unit(chain: formula.Chain, node: formula.Node, always: bool) -> float | None:
    """Return half of the last digit of a decimal as it is printed; None of anything else."""
    if node.op == "times" and len(node.parts) > 1 and node.parts[1].op == "power":
        unit = _unit(chain, node.parts[0], always)
        return unit and unit * float(formula.evaluate(node.parts[1], {}))
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
            record.readings.append(FormulaRead(_said(chain), found[0].left.size, caught, let))
        if unused and options.misprints:
            raise AssertionError(f"excused, but caught or never planted: {'; '.join(sorted(unused))}")
    except AssertionError as wrong:
        raise AssertionError(f"{record.id}: {str(wrong).removeprefix(f'{record.id}: ')}") from None


def _said(chain: formula.Chain) -> str:
    return " ".join(chain.text.split())


def _hold(check: Check, chain: formula.Chain, found: list[Pair], options: Options) -> None:
    what = f"as printed: {_said(chain)}"
    for pair in found:
        if pair.equal:
            check.equal(pair.left, pair.right, tol=pair.tol, what=what)
        else:
            check.at_most(pair.left, pair.right, tol=pair.tol, what=what)
            if not options.loose:
                check.true(pair.met.any(), what=f"{what}: a point reaches it", kind="bound")


@np.errstate(all="ignore")  # what is misprinted may have no value
def _plant(
    chain: formula.Chain, true: list[Pair], values: Mapping[str, Any], options: Options
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
        raise AssertionError(f"not caught in {_said(chain)}: {'; '.join(survive)}")
    return caught, let


def _shows(wrong: formula.Chain, true: list[Pair], values: Mapping[str, Any], options: Options) -> bool:
    try:
        made = pairs(wrong, values, options.tol)
    except (ArithmeticError, IndexError, ValueError):
        return True  # a function refuses the numbers, or a sum has other terms than its values
    return any(pair.shows(was.met) for pair, was in zip(made, true, strict=True))


def _of_bound(chain: formula.Chain, wrong: formula.Chain) -> bool:
    """Tell whether an error is in a side of a bound."""
    changed = [i for i, (a, b) in enumerate(zip(chain.sides, wrong.sides, strict=True)) if a != b]
    bounds = {
        i + side for i, r in enumerate(chain.relations) if formula.RELATIONS[r] not in "=~" for side in (0, 1)
    }
    return bool(bounds & {*changed})
