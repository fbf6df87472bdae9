"""What each idea looks like, in every picture of the book: one look an idea.

Colour never stands alone: a dash or a symbol tells the same.  A bound is dashed and an
estimate dotted, whatever it is of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from explorable.palette import BLUE, GREEN, GREY, INK, ORANGE, PURPLE
from mipbook.book import IDEAS, PEOPLE

__all__ = [
    "ATTACK",
    "BEST",
    "DP",
    "IN",
    "LEVEL",
    "MIP",
    "MIS",
    "OUT",
    "PEOPLE",
    "PMP",
    "PUBLISHED",
    "QUOTED",
    "READING",
    "SERIES",
    "Look",
]


@dataclass(frozen=True)
class Look:
    """The colour, the dash of a line and the symbol of a point."""

    colour: str
    dash: str = "solid"
    symbol: str = "circle"
    width: float = 2.5

    def bound(self) -> Look:
        """Return the look of a bound on the same idea."""
        return replace(self, dash="dash")

    def estimate(self) -> Look:
        """Return the look of an estimate of the same idea."""
        return replace(self, dash="dot")

    def exact(self) -> Look:
        """Return the look of the exact value, where a series' own dash would say otherwise."""
        return replace(self, dash="solid")

    def with_symbol(self, symbol: str) -> Look:
        """Return this look with another symbol."""
        return replace(self, symbol=symbol)


# Membership: the target was in the data, or was not.
IN = Look(IDEAS["in"], "solid", "circle", 3)
OUT = Look(IDEAS["out"], "dash", "square", 3)

# The four notions.
DP = Look(IDEAS["dp"], "dot", "triangle-up")
MIP = Look(IDEAS["mip"], "solid", "circle")
PMP = Look(IDEAS["pmp"], "solid", "diamond")
MIS = Look(IDEAS["mis"], "solid", "square")

# What a paper gives, where something sharper stands beside it; and what it prints.
PUBLISHED = Look(ORANGE, "dash", "x")
QUOTED = Look(INK, "solid", "x-thin")

# What the best attacker reaches, whoever plays.
BEST = Look(BLUE, "solid", "circle", 3)

# An attack that was played; where the reader's own value lies; a line to compare with.
ATTACK = Look(INK, "solid", "diamond")
READING = Look(INK, "solid", "diamond")
LEVEL = Look(GREY, "longdash", "circle", 1.5)

# Things of one kind that differ only by a size, in their order.
SERIES = (
    Look(BLUE, "solid", "circle"),
    Look(ORANGE, "dash", "square"),
    Look(GREEN, "dot", "triangle-up"),
    Look(PURPLE, "dashdot", "x"),
)
