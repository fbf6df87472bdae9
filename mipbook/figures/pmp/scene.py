"""What the scenes of several chapters draw: broken lines, smooth ones, and a plane."""

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


def plane(across, up, *, constrained=True, **more):
    """Return the axes of a scene, which nobody sees, of one scale; and what else the picture has."""
    axes, ends = k.stage(across, up, **more), {"constrain": "domain"} if constrained else {}
    return axes | {"x": axes["x"] | ends, "y": axes["y"] | ends | {"scaleanchor": "x"}}
