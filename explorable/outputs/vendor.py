"""Copy other people's scripts and fonts into the built book.

A page must load nothing from another host.  MathJax comes from ``django-static-mathjax``; plotly's
script lies in ``explore/plotly``, and the faces of the text in ``fonts``.
"""

from __future__ import annotations

import hashlib
import shutil
from importlib import resources
from pathlib import Path

from explorable.panels.static import PLOTLY

__all__ = ["FONTS", "copy_scripts", "empty_icon_script"]

# Of the files that run first, so that a changed package cannot slip something else in.
_KNOWN = {
    PLOTLY.name: "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a",
    "tex-chtml.js": "9b5ae004241a76ab35468a2b8cc567774cfd919f3788c29de17dc1fba95bbe06",
}

FONTS = Path(__file__).parents[1] / "fonts"


def _checked(path: Path) -> Path:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != _KNOWN[path.name]:
        raise RuntimeError(
            f"{path.name} is not the file this book was tested with (sha256 {found}). Install the "
            "versions of requirements.txt, or test the new file and change publish/vendor.py."
        )
    return path


def copy_scripts(static: Path) -> None:
    """Copy plotly, MathJax and the fonts, with their licences, below a book's static folder.

    Parameters
    ----------
    static : pathlib.Path
        The ``_static`` folder of the HTML that is being built.

    Raises
    ------
    RuntimeError
        If a package is missing or holds another file than the one that was tested.
    """
    target = static / "vendor"
    target.mkdir(parents=True, exist_ok=True)
    try:
        mathjax = Path(str(resources.files("mathjax"))) / "static" / "mathjax"
    except ModuleNotFoundError as error:
        raise RuntimeError("MathJax is missing: pip install -r requirements.txt") from error
    # The licence stands in the script's own first lines.
    shutil.copy(_checked(PLOTLY), target)
    fonts = Path("output") / "chtml" / "fonts" / "woff-v2"
    (target / "mathjax" / fonts).mkdir(parents=True, exist_ok=True)
    shutil.copy(_checked(mathjax / "es5" / "tex-chtml.js"), target / "mathjax")
    shutil.copytree(mathjax / "es5" / fonts, target / "mathjax" / fonts, dirs_exist_ok=True)
    shutil.copy(mathjax / "LICENSE", target / "mathjax")
    shutil.copytree(FONTS, target / "fonts", dirs_exist_ok=True)


def empty_icon_script(static: Path) -> None:
    """Empty the theme's script that would draw its icons a second time.

    They are letters of a font that the theme's style sheet names; the script, of 1.5 MB, puts a
    picture in the place of each, as some icons that this book has not would need.

    Parameters
    ----------
    static : pathlib.Path
        The ``_static`` folder of the HTML that has been built.
    """
    told = "/* The icons are letters of the font that the style sheet names. */\n"
    (static / "scripts" / "fontawesome.js").write_text(told, encoding="utf-8")
