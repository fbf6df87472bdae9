"""A promise read for both kinds of neighbours, where nobody said which one it is for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mipbook.accounting.reading import DELTAS, FPRS, Reading
from mipbook.base.report import Report
from mipbook.base.rounding import CERTAIN, down, up

_WORDS, _KINDS = "in words", ("replaced", "added or removed")


@dataclass(frozen=True)
class BothWays(Report):
    """What a promise says of a record that is replaced, and of one that is added or removed."""

    readings: tuple[Reading, Reading]

    def rows(self) -> list[tuple[str, str]]:
        """Return what both say once, and else two columns."""
        pairs = list(zip(*(reading.rows() for reading in self.readings), strict=True))
        wide = max(len(first) for (name, first), (_, second) in pairs if first != second and name != _WORDS)
        found = []
        for (name, first), (_, second) in pairs:
            if first == second:
                found.append((name, first))
            elif name == _WORDS:
                found += [
                    (f"{name}, {kind}", said) for kind, said in zip(_KINDS, (first, second), strict=True)
                ]
            else:
                found.append((name, f"{first:<{wide}}  {second}"))
        return found

    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return what either is not."""
        heading, first = self.readings[0].limits()
        second = self.readings[1].limits()[1]
        asked = "a choice: if you know which neighbours your number is for, give --neighbours"
        return heading, (*dict.fromkeys([*first, *second]), asked)


def told_of(reading: Reading) -> dict[str, Any]:
    """Return a reading's numbers for a program."""
    return {
        "what": reading.what,
        "accuracy": up(float(reading.accuracy()), CERTAIN),
        "advantage": up(reading.advantage.value, CERTAIN),
        "tpr": {str(f): up(float(reading.tpr(f)), CERTAIN) for f in FPRS},
        "auc": up(reading.auc.value, CERTAIN),
        "epsilon": {str(delta): up(float(reading.epsilon(delta)), CERTAIN) for delta in DELTAS},
        "eta": up(reading.eta.value, CERTAIN),
        "security": down(1.0 - reading.mis.value, CERTAIN),
        "sentence": reading.sentence(),
        "sharp": reading.sharp,
        "neighbours": "replace" if reading.replaced else "add or remove",
    }
