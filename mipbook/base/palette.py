"""The colours of every figure, each with a twin for dark pages.

A figure function names colours by role and always draws the light value; the
panel swaps in the dark twin when the page's theme is dark.  Contrast against
the page (3:1 for lines, 4.5:1 for text) is checked in the tests, because no
accessibility tool judges the inside of a picture.
"""

from __future__ import annotations

__all__ = ["BACKGROUND", "BLUE", "DARK_TWIN", "GREEN", "GREY", "INK", "ORANGE", "PURPLE", "fill"]

INK = "#1c2530"
BLUE = "#0b62a4"
ORANGE = "#b34700"
GREEN = "#1b7a4b"
PURPLE = "#7a3e9d"
GREY = "#5f6b76"

# The page behind the figures, light and dark, as the book's theme paints it.
BACKGROUND = ("#ffffff", "#14181e")

_TWINS = {
    INK: "#e6edf3",
    BLUE: "#6cb6ff",
    ORANGE: "#ff9e64",
    GREEN: "#5fd39a",
    PURPLE: "#d2a8ff",
    GREY: "#a7b1bb",
}


def _rgba(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


_FILL_OPACITY = 0.18


def fill(colour: str) -> str:
    """Return the see-through form of a palette colour, for areas and bands.

    Parameters
    ----------
    colour : str
        One of the palette's colours, such as ``BLUE``.

    Returns
    -------
    str
        An ``rgba(...)`` string that also has a dark twin.

    Raises
    ------
    ValueError
        If ``colour`` is not in the palette.

    Examples
    --------
    >>> from mipbook.base import palette
    >>> palette.fill(palette.BLUE)
    'rgba(11,98,164,0.18)'
    """
    if colour not in _TWINS:
        raise ValueError(f"colour = {colour!r}: must be one of {', '.join(_TWINS)}")
    return _rgba(colour, _FILL_OPACITY)


DARK_TWIN: dict[str, str] = {
    **_TWINS,
    **{_rgba(k, _FILL_OPACITY): _rgba(v, _FILL_OPACITY + 0.06) for k, v in _TWINS.items()},
}
