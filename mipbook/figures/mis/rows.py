"""A row of a hundred rounds, which several chapters light up to how often somebody is right."""

import numpy as np

import mipbook.figures.kit as k


def hundred(y, *parts, lower=False, size=20):
    """Draw a row of a hundred dots, and strokes so high on them: of each part, up to where it ends.

    A part is its name, where it ends, and its look.

    Examples
    --------
    >>> [len(trace["x"]) for trace in hundred(0, ("a coin", 50, k.LEVEL), ("the spy", 62, k.ATTACK))]
    [100, 50, 12]
    """
    x, more = np.arange(100) + 0.5, {**k.QUIET, "lower": lower}
    traces = [k.points(f"a hundred, {parts[0][0]}", x, np.full(100, y), k.LEVEL, size=3, **more)]
    begin = 0
    for name, end, look in parts:
        lit = x[begin:end]
        stroke = look.with_symbol("line-ns-open")
        traces.append(k.points(name, lit, np.full(lit.size, y), stroke, size=size, **more))
        begin = end
    return traces


def scored(y, above, said, number, look, coin=True, size=20):
    """Draw a row of the lower picture, with words so far above it and its number at its end.

    What a coin toss wins is grey.

    Examples
    --------
    >>> [len(trace["x"]) for trace in scored(0, 1, "the spy is right", 62.3, k.ATTACK)]
    [100, 50, 12, 1, 1]
    """
    side, big = (
        {"textposition": "middle right", "lower": True, "cliponaxis": False},
        {"textfont": {"size": 16}},
    )
    # Beside a mark at the row's end.
    after = 104.5 if number > 97 else 102.5
    parts = [(f"by a coin, {said}", 50, k.LEVEL)] * coin + [(said, round(number), look)]
    return [
        *hundred(y, *parts, lower=True, size=size),
        k.text(f"whose row, {said}", [0], [y + above], [said], **side),
        k.text(f"how many, {said}", [after], [y], [f"<b>{k.say(number, 3)}</b>"], **big, **side),
    ]


# The axis of such rows, with room for the number.
ROW = {"visible": False, "range": [-1, 115]}


def over_rows(share, gap, up, **more):
    """Return the layout of a picture above such rows: its share of the height, the gap's, how far they go up.

    Examples
    --------
    >>> over_rows(0.5, 0.1, (-1, 7), height=400)["y2"]
    {'visible': False, 'range': [-1, 7]}
    """
    y2 = {"visible": False, "range": [*up]}
    return {"x2": ROW, "y2": y2, "rows": (share, gap), "showlegend": False, "ghost": [], **more}
