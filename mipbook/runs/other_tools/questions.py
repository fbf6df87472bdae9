"""What each tool is asked: families of questions, and the values that each is asked at."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

__all__ = ["DELTAS", "EPSILONS", "FAMILIES", "FPRS", "RHOS", "SIGMAS", "TOOLS", "TRAINING", "Question"]

# From the strictest of promises to hardly one.
EPSILONS = (
    *(1e-6, 1e-3, 0.01, 0.1, 0.3, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0),
    *(15.0, 20.0, 50.0, 100.0, 1000.0),
)
DELTAS = (
    *(0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12),
    *(1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18, 1e-20, 1e-25, 1e-30, 1e-50, 1e-100, 1e-300),
)
# Training as in a published example: 60,000 records, batches of 256, 60 epochs.
TRAINING = {"sampling": 256 / 60_000, "steps": 14_062}
SIGMAS = (*(0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.3, 1.5, 1.8, 2.2, 2.8, 3.5, 4.5, 6.0, 8.0),)
RHOS = (*(0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.125, 0.2, 0.3), *(0.5, 0.7, 1.0, 2.0))
FPRS = (0.001, 0.01, 0.1)
_ASKED: dict[str, list[dict[str, Any]]] = {
    "sigma": [
        *({"epsilon": e, "delta": d} for e, d in product(EPSILONS, DELTAS)),
        {"epsilon": 0.0, "delta": 0.01},
    ],
    "training": [{"sigma": s, **TRAINING, "delta": 1e-5} for s in SIGMAS],
    "training_advantage": [{"sigma": s, **TRAINING} for s in SIGMAS],
    "laplace_delta": [{"scale": 2.0, "times": 10, "epsilon": e} for e in (0.0, 0.5, 1.0, 2.0)],
    "laplace_epsilon": [{"scale": 2.0, "times": 10, "delta": d} for d in (1e-3, 1e-6)],
    "pure": [{"epsilon": 0.1, "times": k, "delta": 1e-6} for k in (10, 100)],
    "concentrated": [{"rho": r, "delta": 1e-5} for r in (0.05, 0.5, 2.0)],
    "promise_advantage": [
        {"epsilon": e, "delta": d} for e, d in ((1.0, 1e-5), (10.0, 1e-5), (50.0, 0.0), (800.0, 0.0))
    ],
    "gaussian_advantage": [{"mu": m} for m in (0.1, 1.0, 10.0, 40.0)],
    "concentrated_advantage": [{"rho": r} for r in RHOS],
    "concentrated_tpr": [{"rho": r, "fpr": x} for x, r in product(FPRS, RHOS)],
}
FAMILIES = tuple(_ASKED)
# The tools by the name of their adapter.
TOOLS = {
    "dp_accounting": "dp-accounting",
    "autodp": "autodp",
    "diffprivlib": "diffprivlib",
    "opendp": "OpenDP",
    "prv_accountant": "prv-accountant",
    "riskcal": "riskcal",
    "mipbook": "mipbook",
}


@dataclass(frozen=True)
class Question:
    """One question, the same for every tool.

    Attributes
    ----------
    family : str
        What is asked for; one of ``FAMILIES``.
    inputs : dict
        What is given.
    """

    family: str
    inputs: dict[str, Any]

    @property
    def name(self) -> str:
        """The question in one line."""
        given = ", ".join(f"{key} {value:g}" for key, value in self.inputs.items())
        return f"{self.family}: {given}"

    @property
    def seconds(self) -> float:
        """How long a tool may take."""
        return 20.0 if self.family == "sigma" else 300.0


QUESTIONS = tuple(Question(family, inputs) for family in FAMILIES for inputs in _ASKED[family])
