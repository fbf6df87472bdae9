"""Which values are proven bounds: the side on which they stay true, and when they say nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorable.checks.mutants import values

__all__ = ["Bound", "bound_of", "harms"]

# A number stands for infinity, so that it still compares.
_ENDLESS = 1e300
_UPPER, _LOWER = "upper", "lower"
# A side, and the value that says nothing.
Bound = tuple[str, float]
_BOUNDS: dict[str, Bound] = {
    "TracingAttack.tail_bound": (_UPPER, 1.0),
    "certify_epsilon.epsilon": (_LOWER, 0.0),
    "delta_from_dp": (_UPPER, 1.0),
    "epsilon_lower_bound": (_LOWER, 0.0),
    "gaussian_delta_bound": (_UPPER, 1.0),
    "gaussian_epsilon_bound": (_UPPER, _ENDLESS),
    "mean_delta_bound": (_UPPER, 1.0),
    "near_gaussians_bound": (_UPPER, 1.0),
    "pinsker_bound": (_LOWER, 0.0),
    "security_from_dp": (_LOWER, 0.0),
    "success_bound": (_UPPER, 1.0),
}
_ENDS = {"low": _LOWER, "lower": _LOWER, "high": _UPPER, "upper": _UPPER}


def bound_of(function: str, path: values.Path) -> Bound | None:
    """Return what sort of bound a function's value is; None if it claims to be exact."""
    known = _BOUNDS.get(".".join([function, *map(str, path)]))
    if known or not path:
        return known
    side = _ENDS.get(str(path[-1]))
    if side == _LOWER:
        return side, -_ENDLESS
    if side == _UPPER:
        return side, _ENDLESS
    return None


def harms(function: str, paths: list[values.Path], true: Any, made: Any) -> bool:
    """Tell whether a value changed and, if it is a bound, to its unsafe side somewhere."""
    if isinstance(true, list):
        return any(harms(function, paths, t, m) for t, m in zip(true, made, strict=False))
    for path in paths:
        left, right = (values.part(v, *path) if path else v for v in (true, made))
        bound = bound_of(function, path)
        if bound is None or np.shape(left) != np.shape(right):
            if not values.same(left, right):
                return True
        elif bool(np.any(right > left if bound[0] == _LOWER else right < left)):
            return True
    return False
