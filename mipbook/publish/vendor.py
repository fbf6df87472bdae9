"""Copy other people's scripts and fonts into the built book, from pinned packages.

A page must load nothing from another host.  Plotly's script comes from the installed
``plotly`` package, MathJax from ``django-static-mathjax``; the faces of the text lie in ``fonts``.
"""

from __future__ import annotations

import hashlib
import shutil
from importlib import resources
from pathlib import Path

__all__ = ["FONTS", "copy_scripts", "plotly_script"]

# Of the files that run first, so that a changed package cannot slip something else in.
_KNOWN = {
    "plotly.min.js": "3b6e15d45dbb7fca5bd2094291e961ddc5472cd887009e6009a56dab668d721f",
    "tex-chtml.js": "9b5ae004241a76ab35468a2b8cc567774cfd919f3788c29de17dc1fba95bbe06",
}

FONTS = Path(__file__).parent / "fonts"


def _checked(path: Path) -> Path:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != _KNOWN[path.name]:
        raise RuntimeError(
            f"{path.name} is not the file this book was tested with (sha256 {found}). Install the "
            "versions of requirements.txt, or test the new file and change publish/vendor.py."
        )
    return path


def plotly_script() -> Path:
    """Return the plotly script that ships inside the installed plotly package.

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    >>> plotly_script().name
    'plotly.min.js'
    """
    return Path(str(resources.files("plotly"))) / "package_data" / "plotly.min.js"


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
    shutil.copy(_checked(plotly_script()), target)
    fonts = Path("output") / "chtml" / "fonts" / "woff-v2"
    (target / "mathjax" / fonts).mkdir(parents=True, exist_ok=True)
    shutil.copy(_checked(mathjax / "es5" / "tex-chtml.js"), target / "mathjax")
    shutil.copytree(mathjax / "es5" / fonts, target / "mathjax" / fonts, dirs_exist_ok=True)
    shutil.copy(mathjax / "LICENSE", target / "mathjax")
    shutil.copytree(FONTS, target / "fonts", dirs_exist_ok=True)
