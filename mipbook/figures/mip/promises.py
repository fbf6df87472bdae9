"""The stops of eta: round numbers that a reader would type, in about equal factors."""

import mipbook.figures.kit as k

_ETAS = (
    0.001, 0.0015, 0.002, 0.003, 0.004, 0.005, 0.007, 0.01, 0.012, 0.015, 0.02, 0.025, 0.03, 0.04,
    0.05, 0.06, 0.07, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.49, 0.499,
)  # fmt: skip


def promise(low: float, high: float, *, play: bool = False) -> k.Stops:
    """Return the slider of eta from ``low`` to ``high``, two of the stops.

    Examples
    --------
    >>> promise(0.1, 0.2).stops
    (0.1, 0.12, 0.15, 0.2)
    """
    return k.Stops([eta for eta in _ETAS if low <= eta <= high], label="Promise, η", play=play).safe("down")
