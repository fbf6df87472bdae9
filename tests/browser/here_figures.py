"""Figure functions in plain Python, which CPython and Python in a page compute alike."""

import importlib
import math

import plotly.graph_objects as go

from explorable import progress
from explorable.panels import UploadedFile


def _figure(x, y, sentence):
    meta = {"sentence": sentence, "alt": f"A curve. {sentence}"}
    trace = {"type": "scatter", "x": x, "y": y, "name": "curve"}
    return go.Figure(data=[trace], layout={"meta": meta})


def decay(rate=1.0, rounds=10):
    """Exact to all digits, so that a rounded value of the reader's would be seen."""
    y = [math.exp(-rate * k / rounds) for k in range(30)]
    return _figure(list(range(30)), y, f"At rate {rate!r} and {rounds} rounds it ends at {y[-1]!r} (exact).")


def mean_of(file="small", shift=0.0):
    """Read one number a line."""
    text = file.text if isinstance(file, UploadedFile) else {"small": "1\n2", "large": "100\n200"}[file]
    try:
        values = [float(line) + shift for line in text.split()]
    except ValueError as error:
        raise ValueError("file: write one number a line") from error
    return _figure(list(range(len(values))), values, f"The mean is {sum(values) / len(values)!r}.")


def long(steps=1.0):
    """Take long between the stops, and say how far it is."""
    total = 20 + round(steps % 1 * 20_000)
    value = 0.0
    for step in progress.track(range(total), what="steps", unit="s"):
        value += sum(math.sin(step + k) for k in range(5000))
    return _figure([0, 1], [0, value], f"The sum of {total} steps is {value:.9g}.")


def other(package="mpmath", digits=20.0):
    """Need a package that no other figure needs."""
    found = importlib.import_module(package)
    return _figure([0, 1], [0, digits], f"{found.__name__} is here, {digits:g} digits.")
