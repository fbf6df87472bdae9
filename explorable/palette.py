"""All colours, each with a twin for dark pages: of the figures, and of the pages around them.

A figure function names colours by role and always draws the light value; the
panel swaps in the dark twin when the page's theme is dark.  Contrast against
the page (3:1 for lines, 4.5:1 for text) is checked in the tests, because no
accessibility tool judges the inside of a picture.
"""

import re
from collections.abc import Mapping

INK = "#1c2530"
BLUE = "#0b62a4"
ORANGE = "#b34700"
GREEN = "#1b7a4b"
PURPLE = "#7a3e9d"
GREY = "#5f6b76"
TEAL = "#00707a"

# The card behind the figures, light and dark.
BACKGROUND = ("#ffffff", "#191e25")

# Ten people, each a colour of their own that carries a letter of the page's ground; light, dark.
FACES = {
    "#566478": "#a9b6c9",
    "#5f6b36": "#b7c78c",
    "#85506a": "#d9a5bf",
    "#2f6b6b": "#83c4c4",
    "#79601f": "#d6bd7d",
    "#5a5a9e": "#b0b0ee",
    "#4a6d45": "#a3c99d",
    "#97503d": "#e8a896",
    "#3f6a8f": "#93bfe3",
    "#1c2531": "#e6edf4",
}

_TWINS = {
    INK: "#e6edf3",
    BLUE: "#6cb6ff",
    ORANGE: "#ff9e64",
    GREEN: "#5fd39a",
    PURPLE: "#d2a8ff",
    GREY: "#a7b1bb",
    TEAL: "#4fc9d3",
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

    Examples
    --------
    >>> from explorable import palette
    >>> palette.fill(palette.BLUE)
    'rgba(11,98,164,0.18)'
    """
    if colour not in _TWINS:
        raise ValueError(f"colour = {colour!r}: must be one of {', '.join(_TWINS)}")
    return _rgba(colour, _FILL_OPACITY)


DARK_TWIN: dict[str, str] = {
    **_TWINS,
    **FACES,
    BACKGROUND[0]: BACKGROUND[1],
    **{_rgba(k, _FILL_OPACITY): _rgba(v, _FILL_OPACITY + 0.06) for k, v in _TWINS.items()},
}

_LINE = "#8a95a1"
_AXIS = "#6b7682"

# The page by role, light and dark: scripts know them as TONES, styles as --mb-ink and so on.
TONES: dict[str, tuple[str, str]] = {
    "ink": (INK, _TWINS[INK]),
    "soft": ("#4d5864", "#b6c0ca"),
    "line": (_LINE, "#76818d"),
    "ground": BACKGROUND,
    # The page, on which cards lie; what stands back on either.
    "paper": ("#faf8f4", "#101318"),
    "wash": ("#f4f2ec", "#242b34"),
    # What the reader puts into a picture.
    "pick": ("#a3006b", "#ff8fc7"),
    "accent": (BLUE, _TWINS[BLUE]),
    "on-accent": (BACKGROUND[0], "#0b1620"),
    # Behind a number that has just changed.
    "flash": ("#ffe9a8", "#5a4a12"),
    "good": (GREEN, _TWINS[GREEN]),
    "bad": ("#a4161a", "#ff9a92"),
    "amber": ("#8a5200", "#f0b95c"),
    # A link under the mouse.
    "pressed": ("#0b4f8a", _TWINS[BLUE]),
    "rule": (_LINE, _LINE),
    # Inside pictures: the axes, the grid behind them, the label under the mouse.
    "axis": (_AXIS, "#7d8894"),
    "grid": ("#e3e7ec", "#2f3843"),
    "label": (BACKGROUND[0], "#222b35"),
}


def tones() -> dict[str, dict[str, str]]:
    """Return the colours of a light and of a dark page, by role.

    Returns
    -------
    dict
        By ``"light"`` and ``"dark"``, then by role.

    Examples
    --------
    >>> tones()["light"]["ink"] == INK, tones()["dark"]["ink"] == DARK_TWIN[INK]
    (True, True)
    """
    return {name: {role: pair[i] for role, pair in TONES.items()} for i, name in enumerate(("light", "dark"))}


def sheet(name: str, pairs: Mapping[str, tuple[str, str]]) -> str:
    """Return the CSS that gives a page some colours, as ``var(--mb-ink)`` and so on.

    Dark are the book's dark theme, JupyterLab's, and, on a page without a theme of its own, what
    the reader's system asks for.

    Parameters
    ----------
    name : str
        What the names of the variables begin with, such as ``"mb"``.
    pairs : mapping
        The colours on a light and on a dark page, by what stands behind it in the names.

    Examples
    --------
    >>> f"--idea-in: {BLUE};" in sheet("idea", {"in": (BLUE, DARK_TWIN[BLUE])})
    True
    """
    light, dark = (
        "{\n" + "".join(f"  --{name}-{role}: {pair[i]};\n" for role, pair in pairs.items()) + "}\n"
        for i in range(2)
    )
    return (
        f":root, :host {light}"
        f"html[data-theme=dark], body[data-jp-theme-light=false] {dark}"
        "@media (prefers-color-scheme: dark) {\n"
        f"html:not([data-theme]) body:not([data-jp-theme-light]) {dark}}}\n"
    )


def style() -> str:
    """Return the CSS that gives every page its colours by role.

    Examples
    --------
    >>> f"--mb-ink: {INK};" in style()
    True
    """
    return sheet("mb", TONES)


def pictures() -> str:
    """Return the CSS that gives the panels' first pictures the colours of the figures.

    Examples
    --------
    >>> "--pic-cells: none;" in pictures()
    True
    """
    twins = {_name(light): (light, dark) for light, dark in DARK_TWIN.items()}
    # The cells of a picture are an image, whose colours no variable reaches.
    return sheet("pic", {**twins, "cells": ("none", "invert(1) hue-rotate(180deg)")})


def _name(light: str) -> str:
    return re.sub(r"[^0-9a-z]+", "-", light.strip("#)"))


def variables() -> dict[str, str]:
    """Return the variable of each colour of a picture, by the colour as plotly writes it on a light page.

    Examples
    --------
    >>> variables()[f"{BLUE}/0.18"], variables()[TONES["axis"][0]]
    ('var(--pic-rgba-11-98-164-0-18)', 'var(--mb-axis)')
    """
    names = {light: f"pic-{_name(light)}" for light in (*_TWINS, *FACES, BACKGROUND[0])}
    names |= {TONES[role][0]: f"mb-{role}" for role in ("axis", "grid", "ink", "label")}
    names |= {f"{light}/{_FILL_OPACITY:g}": f"pic-{_name(fill(light))}" for light in _TWINS}
    return {light: f"var(--{name})" for light, name in names.items()}
