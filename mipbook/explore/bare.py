"""Figures without plotly's own template: a panel brings one that follows the page's theme."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = ["bare_figures"]


@contextlib.contextmanager
def bare_figures() -> Iterator[None]:
    """Leave plotly's template out of the figures made meanwhile: to copy it is half their time."""
    from plotly.io import templates

    before = templates.default
    templates.default = None
    try:
        yield
    finally:
        templates.default = before
