"""The list of pages on the left: what opens the pages under a chapter has a name to be read out."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["connect", "named"]

_FOLD = re.compile(r"(>([^<]+)</a>\s*<details[^>]*>\s*<summary)>")


def named(menu: str) -> str:
    """Return a list of pages in which each fold is named after the page above it.

    Parameters
    ----------
    menu : str
        The theme's HTML, whose folds show a sign only.

    Examples
    --------
    >>> named('<a href="x">Noise</a><details><summary><i></i></summary></details>')
    '<a href="x">Noise</a><details><summary aria-label="Under Noise"><i></i></summary></details>'
    """
    return _FOLD.sub(r'\1 aria-label="Under \2">', menu)


def _name(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    made = context.get("generate_toctree_html")
    if made:
        context["generate_toctree_html"] = lambda *args, **options: named(str(made(*args, **options)))


def connect(app: Any) -> None:
    """Register with Sphinx."""
    # After the theme, whose function makes the list.
    app.connect("html-page-context", _name, priority=950)
