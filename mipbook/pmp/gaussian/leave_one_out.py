"""Characteristic functions of sums over random subsets, for many left-out records at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mipbook.base.types import Array

__all__ = ["leave_one_out"]

Complex = NDArray[np.complex128]


class _Averages:
    """Means of exp(i omega sum) over all subsets of each size k of the records so far."""

    def __init__(self, largest: int, frequencies: int) -> None:
        self.count = 0
        self.table: Complex = np.zeros((largest + 1, frequencies), dtype=complex)
        self.table[0] = 1.0

    def copy(self) -> _Averages:
        """Return an independent copy."""
        other = object.__new__(_Averages)
        other.count, other.table = self.count, self.table.copy()
        return other

    def add(self, factor: Complex, lowest: int) -> None:
        """Take in one more record; sizes below ``lowest`` are no longer needed.

        Each new mean is a convex combination of two old ones, so nothing is amplified.
        """
        self.count += 1
        top = min(self.count, len(self.table) - 1)
        low = max(1, lowest)
        if top < low:
            return
        share = (np.arange(low, top + 1) / self.count)[:, None]
        moved = self.table[low - 1 : top] * factor
        moved *= share
        self.table[low : top + 1] *= 1.0 - share
        self.table[low : top + 1] += moved


def leave_one_out(
    values: Array, size: int, omega: Array, targets: Any
) -> Iterator[tuple[int, Complex, Complex]]:
    """Yield each target with the means over subsets of the others, of sizes n - 1 and n.

    Halves of the targets share the work of adding everybody else, so that all 2n records
    together cost only log2(2n) times as much as one.
    """
    factors = np.exp(1j * np.outer(values, omega))
    total = len(values) - 1
    wanted = [int(t) for t in targets]

    def grow(state: _Averages, rows: list[int]) -> None:
        for row in rows:
            # Only sizes that can still reach n - 1 with the records to come.
            state.add(factors[row], size - 1 - (total - state.count - 1))

    def descend(state: _Averages, rows: list[int]) -> Iterator[tuple[int, Complex, Complex]]:
        if len(rows) == 1:
            yield rows[0], state.table[size - 1], state.table[size]
            return
        half = len(rows) // 2
        for inner, added in ((rows[:half], rows[half:]), (rows[half:], rows[:half])):
            branch = state.copy()
            grow(branch, added)
            yield from descend(branch, inner)

    state = _Averages(size, len(omega))
    grow(state, [row for row in range(len(values)) if row not in set(wanted)])
    yield from descend(state, wanted)
