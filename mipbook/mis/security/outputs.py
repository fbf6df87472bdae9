"""What a learner releases, and when two releases are the same."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

from explorable import validate
from mipbook.base.attempt import attempt

__all__ = ["released", "same_outputs"]

# Numbers this close, relatively, differ by rounding.
_CLOSE = 1e-12


def released(learner: Callable[[Any], Any], sample: Any) -> list[tuple[Hashable, float]]:
    """Return the outputs of a learner on a data set, with their probabilities."""
    answer = attempt("learner", learner, f"on the data set {sample}", learner, sample)
    if not isinstance(answer, Mapping):
        if not _hashable(answer):
            allowed = "a function that returns a hashable output or a mapping"
            validate.refuse("learner", answer, allowed)
        return [(answer, 1.0)]
    validate.probability_vector("learner", list(answer.values()))
    return list(answer.items())


def _hashable(output: Any) -> bool:
    try:
        hash(output)
    except TypeError:
        return False
    return True


def _numbers(output: Any) -> Iterator[float]:
    if isinstance(output, tuple):
        for part in output:
            yield from _numbers(part)
    elif isinstance(output, float) and math.isfinite(output):
        yield output


def same_outputs(outputs: Iterable[Hashable]) -> Callable[[Hashable], Hashable]:
    """Return a map that gives outputs which differ by rounding one and the same name.

    Numbers, alone or within tuples, are one where they differ by a relative 1e-12 at most;
    every nan is the same nan.
    """
    starts: list[float] = []
    last = math.nan
    for value in sorted({v for output in outputs for v in _numbers(output)}):
        if not value - last <= _CLOSE * max(abs(value), abs(last)):
            starts.append(value)
        last = value

    def name(output: Hashable) -> Hashable:
        if isinstance(output, tuple):
            return tuple(map(name, output))
        if not isinstance(output, float) or math.isinf(output):
            return output
        return math.nan if math.isnan(output) else starts[bisect_right(starts, output) - 1]

    return name
