"""What a page that looks a table up tells at some values: as its script does, in Python."""

from collections.abc import Mapping
from math import ceil, prod
from typing import Any

from explorable.panels.corners import Axis, Corners


def places(axis: Axis, values: Mapping[str, Any]) -> tuple[int, int]:
    """Return the point on the safe side and the one on the other, which may be none, -1."""
    over, under = (prod(float(values[name]) for name in names) for names in (axis.over, axis.under))
    number = float(ceil(over / under)) if axis.whole else over / under
    above = next((i for i, point in enumerate(axis.points) if point >= number), -1)
    below = sum(point <= number for point in axis.points) - 1
    safe, other = (above, below) if axis.up else (below, above)
    if safe < 0:
        raise ValueError(axis.beyond)
    return safe, other


def texts(corners: Corners, values: Mapping[str, Any]) -> dict[str, str]:
    """Return what stands for each ``{name}`` at some values; refuse those beyond the table."""
    found_places = {name: places(axis, values) for name, axis in corners.axes.items()}
    same = all(safe == other for safe, other in found_places.values())
    found = dict(corners.exact if same else corners.between)
    found |= {name: corners.axes[name].texts[safe] for name, (safe, _) in found_places.items()}
    for name, each in corners.told.items():
        safe, other = zip(*(found_places[axis] for axis in each.axes), strict=True)
        if each.beyond and each.high[safe] == len(each.texts) - 1:
            raise ValueError(each.beyond)
        found[name] = each.texts[int(each.high[safe])]
        found[f"{name}.low"] = each.texts[int(each.low[other]) if min(other) >= 0 else 0]
    return found
