"""Figures without plotly's own template: a panel brings one that follows the page's theme.

To copy the template takes more than half the time of a figure.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = ["bare_figures", "draw_bare"]


def draw_bare() -> None:
    """Leave plotly's template out of all figures that this process draws from now on."""
    from plotly.io import templates

    if templates.default is not None:
        templates.default = None


@contextlib.contextmanager
def bare_figures() -> Iterator[None]:
    """Leave plotly's template out of the figures drawn meanwhile; to enter takes some 20 ms."""
    from plotly.io import templates

    before = templates.default
    draw_bare()
    try:
        yield
    finally:
        if before is not None:
            templates.default = before
