"""What each idea looks like, in every picture of the book: one look an idea.

Colour never stands alone: a dash or a symbol tells the same.  A bound is dashed and an
estimate dotted, whatever it is of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mipbook.base.palette import BLUE, DARK_TWIN, GREEN, GREY, INK, ORANGE, PURPLE, TEAL, sheet

__all__ = [
    "ATTACK",
    "BEST",
    "DP",
    "IDEAS",
    "IN",
    "LEVEL",
    "MIP",
    "MIS",
    "OUT",
    "PMP",
    "PUBLISHED",
    "QUOTED",
    "READING",
    "SERIES",
    "Look",
    "style",
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
IN = Look(BLUE, "solid", "circle", 3)
OUT = Look(ORANGE, "dash", "square", 3)

# The four notions.
DP = Look(GREY, "dot", "triangle-up")
MIP = Look(GREEN, "solid", "circle")
PMP = Look(PURPLE, "solid", "diamond")
MIS = Look(TEAL, "solid", "square")

# The ideas that have the same colour in the words of a page.
IDEAS = {"in": IN, "out": OUT, "dp": DP, "mip": MIP, "pmp": PMP, "mis": MIS}

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


def style() -> str:
    """Return the CSS that gives the ideas their colours in the text, as ``var(--idea-mip)``.

    Examples
    --------
    >>> f"--idea-mip: {MIP.colour};" in style()
    True
    """
    pairs = {name: (look.colour, DARK_TWIN[look.colour]) for name, look in IDEAS.items()}
    words = "".join(f".mb-{name} {{ color: var(--idea-{name}); }}\n" for name in IDEAS)
    return sheet("idea", pairs) + words
