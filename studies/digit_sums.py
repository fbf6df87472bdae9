"""What the digits of a bounded mean give away; each value is a transform of 262,144 numbers."""

from typing import Any

import numpy as np

from mipbook import mis
from mipbook.stored.limits import SETTINGS
from mipbook.stored.store import Arrays
from studies.run import Run


def summed(settings: dict[str, Any]) -> Arrays:
    """Return Delta for each size and number of digits.

    Examples
    --------
    >>> summed({"sizes": (5,), "digits": (1, 2)})["deltas"].shape
    (1, 2)
    """
    rows = [[mis.digit_delta(n, j).value for j in settings["digits"]] for n in settings["sizes"]]
    return {"deltas": np.array(rows)}


RUNS = (Run("digit_sums", SETTINGS, lambda: summed(SETTINGS)),)
