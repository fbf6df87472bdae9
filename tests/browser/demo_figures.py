"""Figure functions that make the panel work hard."""

import math
import time

import numpy as np
import plotly.graph_objects as go

from explorable import palette, progress
from explorable.panels import UploadedFile


def finish(traces, *, sentence, alt, layout, **meta):
    """Return a figure with its layout and texts."""
    figure = traces if isinstance(traces, go.Figure) else go.Figure(data=list(traces))
    figure.layout = {**layout, "meta": {"sentence": sentence, "alt": alt, **meta}}
    return figure


def everything(count=3, height=1.0, style="solid", dots=True, size=1.0):
    """All kinds of controls; lists, grids and traces that come and go; one state that fails."""
    if count == 5:
        raise ValueError("count = 5: must be at most 4")
    x = np.linspace(0, 1, 50)
    figure = go.Figure()
    for i in range(count):
        y = height * np.sin((i + 1) * x)
        y[10 * i : 10 * i + 3] = np.nan
        figure.add_scatter(x=x, y=y, name=f"wave {i}", line={"color": palette.BLUE, "dash": style})
    if dots:
        figure.add_scatter(
            x=[0.1 * i for i in range(count)],
            y=[size * 1e-300, 1.0, size * 1e300][:count],
            text=[f"dot, {i}" for i in range(count)],
            mode="markers",
            name="dots",
            marker={"color": palette.ORANGE},
        )
    else:
        figure.add_heatmap(z=np.outer(np.arange(count), np.arange(4.0)) * height, name="grid")
    annotations = [{"x": 0.5, "y": 0.5, "text": f"note {i}"} for i in range(count - 1)]
    return finish(
        figure,
        sentence=f"{count} waves of height {height:g}, {style}, size {size:g} (exact).",
        alt=f"A test picture with {count} waves.",
        layout={"annotations": annotations, "xaxis": {"range": [0, 1.1]}},
        grab=[{"control": "height", "axis": "x"}],
    )


STEPS = [round(0.1 * i, 1) for i in range(21)]


def held(threshold=1.0, height=1.0):
    """Two things to drag, one along its own curve, and a curve to read, all in symbols."""
    x = np.linspace(0, 2, 41)
    y = height * np.exp(-x)
    told = "at %{x:.2f} it is %{y:.3f}<br>of ε̃ = 2<extra></extra>"
    curve = {"type": "scatter", "mode": "lines", "name": "decay", "x": x, "y": y}
    here = [height * math.exp(-threshold)]
    return finish(
        [
            {**curve, "line": {"color": palette.BLUE}, "hovertemplate": told},
            {"type": "scatter", "mode": "markers", "x": [threshold], "y": here, "name": "here"},
        ],
        headline=f"{here[0]:.3f} at {threshold:g}",
        sentence=f"With ε̃ = {threshold:g} the height is {here[0]:.3f} (exact).",
        alt="A falling curve of ε̃.",
        layout={"xaxis": {"range": [0, 2]}, "yaxis": {"range": [0, 2]}},
        grab=[
            {
                "control": "threshold",
                "axis": "x",
                "track": {"x": STEPS, "y": [height * math.exp(-t) for t in STEPS]},
            },
            {"control": "height", "axis": "y"},
        ],
        probe=["decay"],
    )


def guess(round=0, hard=False):
    """A guessing game whose truth follows from the round."""
    answer = "in" if round % 3 == 0 else "out"
    figure = go.Figure(go.Scatter(x=[0, 1], y=[round, int(hard)], name="seen"))
    figure.add_scatter(x=[0.5], y=[0.5], name="truth", meta="reveal")
    return finish(
        figure,
        sentence=f"Round {round} (exact).",
        alt="A line.",
        layout={},
        options=[["in", "It was in"], ["out", "It was out"]],
        answer=answer,
        optimal="in",
        replies={
            f"{said}/{truth}/in": f"You said {said}, the truth was {truth}."
            for said in ("in", "out")
            for truth in ("in", "out")
        },
    )


def patient(seconds=0.0, height=1.0, file="short"):
    """A figure that takes its time, says how far it is, and reads a file."""
    steps = max(round(seconds / 0.1), 1)
    for _ in progress.track(range(steps), what="steps", unit="steps", place=progress.terminal):
        time.sleep(seconds / steps)
    lines = len(file.text.splitlines()) if isinstance(file, UploadedFile) else 0
    figure = go.Figure(go.Scatter(x=[0, 1], y=[0, height], name="line"))
    return finish(
        figure,
        sentence=f"{seconds:g} seconds, height {height:g}, {lines} lines (exact).",
        alt="A line.",
        layout={},
    )
