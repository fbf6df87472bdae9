"""What the scenes of several chapters draw: broken lines, smooth ones, and people or rounds in rows."""

import numpy as np


def gapped(lines):
    """Return lines, a row of coordinates each, one after another, with a gap behind each.

    Examples
    --------
    >>> gapped([[0.0, 1.0], [2.0, 3.0]])
    [0.0, 1.0, None, 2.0, 3.0, None]
    """
    return [each for line in np.asarray(lines).tolist() for each in (*line, None)]


def smooth(curve):
    """Return a curve that is bent between its points."""
    return curve | {"line": curve["line"] | {"shape": "spline", "smoothing": 0.8}}
