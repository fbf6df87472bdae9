"""What all figures share: axes, margins, the sentence and the alt text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

__all__ = ["LOWER", "axis", "finish", "placed", "two_rows"]

# Where a trace of the lower picture goes.
LOWER: dict[str, Any] = {"xaxis": "x2", "yaxis": "y2"}


def axis(title: str, *, log: bool = False, **settings: Any) -> dict[str, Any]:
    """Return a plotly axis; a log axis labels whole decades only."""
    if log:
        settings = {"type": "log", "dtick": 1, "exponentformat": "power", **settings}
    return {"title": {"text": title}, **settings}


def two_rows(upper: float, gap: float) -> dict[str, dict[str, Any]]:
    """Return what puts one picture above another, by share of the height.

    Plotly's own way costs more than all the rest of a figure.  Merge each entry into the
    axis of the same name.
    """
    lower = 1 - upper
    return {
        "xaxis": {"anchor": "y"},
        "yaxis": {"anchor": "x", "domain": [lower + gap / 2, 1.0]},
        "xaxis2": {"anchor": "y2"},
        "yaxis2": {"anchor": "x2", "domain": [0.0, lower - gap / 2]},
    }


def placed(layout: dict[str, Any]) -> dict[str, Any]:
    """Return a layout whose ``rows``, a pair handed to `two_rows`, have become places of axes."""
    settings = dict(layout)
    if "rows" in settings:
        for name, place in two_rows(*settings.pop("rows")).items():
            settings[name] = {**settings[name], **place}
    return settings


def finish(
    traces: go.Figure | Sequence[dict[str, Any]],
    *,
    sentence: str,
    alt: str,
    layout: dict[str, Any],
    read: str = "",
    **meta: Any,
) -> go.Figure:
    """Add the layout and the texts that every figure of the book carries.

    Parameters
    ----------
    traces : sequence of dict
        What is drawn, the lowest first: plain plotly traces, as `mipbook.figures.marks`
        makes them.
    sentence : str
        The result in words, with each number tagged exact, bound, estimate or
        approximation.
    alt : str
        What the picture shows, for a reader who does not see it.
    layout : dict
        Plotly layout settings, as `placed` takes them.  With
        ``beside=share`` among the other texts the two stand beside each other where the
        width allows it, the first one on that share of the width.
    read : str
        What was read of a reader's file; nothing for an example.
    **meta
        What else the panel needs, such as

        - ``headline``, the one number of this state in 2 to 8 words, drawn large;
        - ``grab``, what can be dragged: ``[{"control": name, "axis": "x"}]`` where the
          coordinate is the value; with ``"track": {"x": [...], "y": [...]}``, one point for
          each stop of the control, where it is not.  ``"at"`` puts the handle on the other
          axis, ``"x2"`` and ``"y2"`` are those of a lower picture;
        - ``probe``, the names of the traces that hover, tap and arrow keys read: each point's
          ``hovertemplate`` is a sentence;
        - ``ghost``, the names of the traces whose last state stays, faint, for comparison;
          the first line if not given;
        - ``moving_axes``, why the axes do not stand still, where they do not;
        - the answer of a guessing game.
    """
    settings = placed(layout)
    if read:
        meta["read"] = read
    settings["meta"] = {"sentence": sentence, "alt": alt, **meta}
    if isinstance(traces, go.Figure):
        traces.layout = settings
        return traces
    # Plotly's check of each property takes two thirds of a figure's time; the tests make it.
    return go.Figure(data=list(traces), layout=settings, _validate=False)
