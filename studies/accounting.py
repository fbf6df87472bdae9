"""What plans of training by noisy gradients cost: the accountant from both sides."""

from itertools import product

import numpy as np

from mipbook.base.types import Array
from mipbook.dpsgd.accountant import certified_epsilon, certified_sigma
from mipbook.dpsgd.profile import schedule
from mipbook.stored.trained import BATCHES, BUDGETS, LAB, LAB_NOISES, PASSES, PLAN_DELTA, RECORDS
from studies.run import Run, told


def _lab() -> dict[str, Array]:
    plans = list(product(RECORDS, BATCHES, PASSES))
    shape = (len(RECORDS), len(BATCHES), len(PASSES), -1)
    sides, noise = [], []
    for plan in told(plans, "accounting", "plans"):
        sampling, steps = schedule(*plan)
        found = [certified_epsilon(sampling, sigma, steps, PLAN_DELTA) for sigma in LAB_NOISES]
        sides.append([[each.low, each.high] for each in found])
        noise.append([certified_sigma(sampling, steps, budget, PLAN_DELTA) for budget in BUDGETS])
    return {
        "sides": np.array(sides).reshape(*shape[:3], len(LAB_NOISES), 2),
        "noise": np.array(noise).reshape(shape),
    }


RUNS = (Run("accounting_lab", LAB, _lab),)
