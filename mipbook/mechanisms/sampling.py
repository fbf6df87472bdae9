"""The sampling mechanism: release some of the records as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate

__all__ = ["Sampling"]


@dataclass(frozen=True)
class Sampling:
    """Release a uniformly random part of the records, unchanged.

    Parameters
    ----------
    fraction : float
        Share of the records that is released, in [0, 1]; the count is rounded down.

    Notes
    -----
    Lecture notes, section 2.  It defeats reconstruction and protects nobody who is drawn.

    Examples
    --------
    >>> import numpy as np
    >>> Sampling(0.5)(np.arange(10), np.random.default_rng(0)).size
    5
    """

    fraction: float = 0.5

    def __post_init__(self) -> None:
        validate.number("fraction", self.fraction, 0.0, 1.0)

    def __call__(self, data: Any, rng: np.random.Generator) -> NDArray[Any]:
        """Return the released records, in random order."""
        records = validate.rows("data", data)
        # 0.29 * 100 is a hair below 29, and nobody means 28 by it.
        size = int(self.fraction * len(records) + 1e-9)
        return validate.generator("rng", rng).choice(records, size, replace=False, shuffle=True)
