"""Audits of five learners on three made-up tables."""

from itertools import product
from typing import Any

import numpy as np

from mipbook.audit.examples import NUMBERS, SETTINGS, SHARES, errors_of, example_table, report_of, shadows_on
from mipbook.stored.store import Arrays
from studies.run import Run, told


def audited(settings: dict[str, Any]) -> Arrays:
    """Audit the examples; return the errors and the numbers of the reports.

    Examples
    --------
    >>> few = {**SETTINGS, "examples": SETTINGS["examples"][:1], "learners": ("linear",), "models": (20,)}
    >>> audited(few)["reports"].shape
    (1, 1, 1, 6)
    """
    cases = list(product(settings["examples"], settings["learners"]))
    errors, reports = [], []
    for name, learner in told(cases, "audits", "learners"):
        table = example_table(name)
        shadows = shadows_on(table.tobytes(), table.shape[1], learner)
        errors.append(errors_of(shadows))
        found = [report_of(shadows, models) for models in settings["models"]]
        reports.append([(r.estimate, r.certified, *r.asymptotic, r.found, r.accused) for r in found])
    shape = len(settings["examples"]), len(settings["learners"])
    return {
        "errors": np.array(errors).reshape(*shape, 2, len(SHARES)),
        "reports": np.array(reports).reshape(*shape, len(settings["models"]), len(NUMBERS)),
    }


RUNS = (Run("audit", SETTINGS, lambda: audited(SETTINGS)),)
