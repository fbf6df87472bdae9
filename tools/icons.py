"""Write the font of the icons that the book shows, a fiftieth of the theme's: ``python tools/icons.py``.

The style sheet names it after the theme's own, so that a browser loads that for no icon but one that is
missing here.
"""

from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "explorable" / "fonts" / "icons.woff2"
THEME = Path(
    "theme", "pydata_sphinx_theme", "static", "vendor", "fontawesome", "webfonts", "fa-solid-900.ttf"
)
# By the classes of the theme's templates, without `fa-`.
ICONS = (
    *(
        "angle-down",
        "angle-left",
        "angle-right",
        "arrow-up",
        "bars",
        "chevron-down",
        "circle-half-stroke",
        "code",
    ),
    *("download", "expand", "file", "file-pdf", "list", "magnifying-glass", "moon", "play", "rocket", "sun"),
)


def source() -> TTFont:
    """Return the theme's font."""
    import pydata_sphinx_theme

    return TTFont(Path(pydata_sphinx_theme.__file__).parent / THEME)


def main() -> None:
    """Write it."""
    font = source()
    options = subset.Options(flavor="woff2", layout_features=[], hinting=False)
    cut = subset.Subsetter(options)
    letters = [code for code, name in font.getBestCmap().items() if name in ICONS]
    cut.populate(unicodes=letters)
    cut.subset(font)
    subset.save_font(font, str(TARGET), options)


if __name__ == "__main__":
    main()
