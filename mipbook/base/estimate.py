"""A number with the interval that is known to hold it, and what sort of number it is."""

from typing import NamedTuple

__all__ = ["Estimate"]


class Estimate(NamedTuple):
    """A value, the interval around it, and how sure the interval is.

    Attributes
    ----------
    value : float
        The best single number.
    low, high : float
        The interval; equal to ``value`` where it is exact.
    kind : str
        *exact*, *bound*, *estimate* or *approximation*.
    confidence : float
        The chance that the interval holds the truth; 1 where no chance is involved.
    warning : str
        What makes the number less trustworthy than it looks; empty if nothing does.

    Examples
    --------
    >>> Estimate(0.5, 0.4, 0.6, "estimate", 0.95).high
    0.6
    """

    value: float
    low: float
    high: float
    kind: str = "exact"
    confidence: float = 1.0
    warning: str = ""
