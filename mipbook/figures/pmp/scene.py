"""What the scenes of several chapters draw: broken lines, and smooth ones."""

import numpy as np

import mipbook.figures.kit as k


def gapped(lines):
    """Return lines, a row of coordinates each, one after another: a gap behind each, and at each nan.

    Examples
    --------
    >>> gapped([[0.0, 1.0], [2.0, 3.0]])
    [0.0, 1.0, None, 2.0, 3.0, None]
    """
    ends = np.pad(np.asarray(lines, dtype=float), ((0, 0), (0, 1)), constant_values=np.nan).ravel()
    return k.kept(ends, np.isfinite(ends))


def smooth(curve):
    """Return a curve that is bent between its points."""
    return curve | {"line": curve["line"] | {"shape": "spline", "smoothing": 0.8}}
