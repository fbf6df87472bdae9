"""Figure functions that make the panel work hard."""

import math
import time

import numpy as np
import plotly.graph_objects as go

from explorable import palette, progress
from explorable.panels import UploadedFile


def finish(traces, sentence, alt="A line.", layout=None, **meta):
    meta |= {"sentence": sentence, "alt": alt}
    return go.Figure(data=traces, layout={**(layout or {}), "meta": meta})


def everything(count=3, height=1.0, style="solid", dots=True, size=1.0):
    """All kinds of controls; lists, grids and traces that come and go; one state that fails."""
    if count == 5:
        raise ValueError("count = 5: must be at most 4")
    x = np.linspace(0, 1, 50)
    traces = []
    for i in range(count):
        y = height * np.sin((i + 1) * x)
        y[10 * i : 10 * i + 3] = np.nan
        traces.append(go.Scatter(x=x, y=y, name=f"wave {i}", line={"color": palette.BLUE, "dash": style}))
    if dots:
        places = {"x": [0.1 * i for i in range(count)], "y": [size * 1e-300, 1.0, size * 1e300][:count]}
        look = {"mode": "markers", "marker": {"color": palette.ORANGE}}
        traces.append(go.Scatter(**places, text=[f"dot, {i}" for i in range(count)], name="dots", **look))
    else:
        traces.append(go.Heatmap(z=np.outer(np.arange(count), np.arange(4.0)) * height, name="grid"))
    annotations = [{"x": 0.5, "y": 0.5, "text": f"note {i}"} for i in range(count - 1)]
    return finish(
        traces,
        f"{count} waves of height {height:g}, {style}, size {size:g} (exact).",
        f"A test picture with {count} waves.",
        {"annotations": annotations, "xaxis": {"range": [0, 1.1]}},
        grab=[{"control": "height", "axis": "x"}],
    )


STEPS = [round(0.1 * i, 1) for i in range(21)]


def held(threshold=1.0, height=1.0):
    """Two things to drag, one along its own curve, and a curve and a place to read, all in symbols."""
    x = np.linspace(0, 2, 41)
    told = "at %{x:.2f} it is %{y:.3f}<br>of ε̃ = 2<extra></extra>"
    curve = {"mode": "lines", "line": {"color": palette.BLUE}, "hovertemplate": told}
    here = height * math.exp(-threshold)
    track = {"x": STEPS, "y": [height * math.exp(-t) for t in STEPS]}
    return finish(
        [
            go.Scatter(name="decay", x=x, y=height * np.exp(-x), **curve),
            go.Scatter(name="here", x=[threshold], y=[here], mode="markers", hovertemplate="here it is %{x}"),
        ],
        f"With ε̃ = {threshold:g} the height is {here:.3f} (exact).",
        "A falling curve of ε̃.",
        {"xaxis": {"range": [0, 2]}, "yaxis": {"range": [0, 2]}},
        headline=f"{here:.3f} at {threshold:g}",
        grab=[{"control": "threshold", "axis": "x", "track": track}, {"control": "height", "axis": "y"}],
        probe=["decay", "here"],
    )


def patient(seconds=0.0, height=1.0, file="short"):
    """A figure that takes its time, says how far it is, and reads a file."""
    steps = max(round(seconds / 0.1), 1)
    for _ in progress.track(range(steps), what="steps", unit="steps", place=progress.terminal):
        time.sleep(seconds / steps)
    lines = len(file.text.splitlines()) if isinstance(file, UploadedFile) else 0
    sentence = f"{seconds:g} seconds, height {height:g}, {lines} lines (exact)."
    return finish([go.Scatter(name="line", x=[0, 1], y=[0, height])], sentence)
