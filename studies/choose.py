"""Choices of epsilon on the example pools."""

import json
from dataclasses import asdict
from typing import Any

import numpy as np

from mipbook.choose.examples import SETTINGS, cases_of, chosen, example_pool
from mipbook.stored.store import Arrays
from studies.run import Run, told


def answers(settings: dict[str, Any]) -> Arrays:
    """Search on the examples; return the answers, as JSON in bytes.

    Examples
    --------
    >>> few = {**SETTINGS, "examples": SETTINGS["examples"][1:2], "targets": (0.1,), "clips": (5.0,)}
    >>> few = {**few, "deltas": (1e-3,), "mechanisms": ("exponential",)}
    >>> json.loads(answers(few)["answers"].tobytes())[0]["records"]
    20
    """
    found = []
    for name, *case in told(cases_of(settings), "choices", "answers"):
        answer = asdict(chosen(example_pool(name), *case))
        del answer["not_promised"]
        found.append(answer)
    text = json.dumps(found, separators=(",", ":")).encode()
    return {"answers": np.frombuffer(text, dtype=np.uint8)}


RUNS = (Run("choose", SETTINGS, lambda: answers(SETTINGS)),)
