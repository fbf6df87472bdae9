"""What all figures share: axes, margins, the sentence and the alt text."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

__all__ = ["axis", "finish"]


def axis(title: str, *, log: bool = False, **settings: Any) -> dict[str, Any]:
    """Return a plotly axis; a log axis labels whole decades only."""
    if log:
        settings = {"type": "log", "dtick": 1, "exponentformat": "power", **settings}
    return {"title": {"text": title}, **settings}


def finish(
    figure: go.Figure, *, sentence: str, alt: str, layout: dict[str, Any], **meta: Any
) -> go.Figure:
    """Add the layout and the texts that every figure of the book carries.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        The figure so far; changed in place.
    sentence : str
        The result in words, with each number tagged exact, bound, estimate or
        approximation.
    alt : str
        What the picture shows, for a reader who does not see it.
    layout : dict
        Plotly layout settings.
    **meta
        What else the panel needs, such as the answer of a guessing game.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    figure.update_layout(**layout, meta={"sentence": sentence, "alt": alt, **meta})
    return figure
