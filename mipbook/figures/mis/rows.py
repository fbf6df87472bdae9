"""A row of a hundred rounds, which several chapters light up to how often somebody is right."""

import numpy as np

import mipbook.figures.kit as k


def hundred(y, *parts, lower=False):
    """Draw a row of a hundred dots, and strokes on them: of each part, up to where it ends.

    A part is its name, where it ends, and its look.

    Examples
    --------
    >>> [len(trace["x"]) for trace in hundred(0, ("a coin", 50, k.LEVEL), ("the spy", 62, k.ATTACK))]
    [100, 50, 12]
    """
    x, more = np.arange(100) + 0.5, {"showlegend": False, "hoverinfo": "skip", "lower": lower}
    traces = [k.points(f"a hundred, {parts[0][0]}", x, np.full(100, y), k.LEVEL, size=3, **more)]
    begin = 0
    for name, end, look in parts:
        lit = x[begin:end]
        stroke = look.with_symbol("line-ns-open")
        traces.append(k.points(name, lit, np.full(lit.size, y), stroke, size=20, **more))
        begin = end
    return traces
