"""A table of what right guesses about canaries prove, and runs on digits with canaries in them."""

from typing import Any

import numpy as np

from mipbook.audit import canary_epsilon, canary_mu, right_guesses, train_with_canaries
from mipbook.audit.canary_runs import gaussian_reading
from mipbook.audit.examples import METHODS, TABLE, TRAINED, right_of
from mipbook.base.types import Array
from mipbook.game import roc
from mipbook.stored.store import Arrays
from studies.run import Run, told


def _proofs(settings: dict[str, Any]) -> Arrays:
    """Return epsilon by canaries, share guessed, method and share right."""
    cases = [(m, share) for m in settings["canaries"] for share in settings["guessed"]]
    found = [_proved(m, round(share * m), settings) for m, share in told(cases, "proofs", "cases")]
    shape = (len(settings["canaries"]), len(settings["guessed"]), len(METHODS), -1)
    return {"epsilon": np.array(found).reshape(shape)}


def _proved(canaries: int, guesses: int, settings: dict[str, Any]) -> list[Array]:
    right, delta = right_of(guesses, settings["right"]), settings["delta"]
    exact = [
        np.asarray(canary_epsilon(right, guesses, delta, canaries, bound=bound)) for bound in METHODS[:2]
    ]
    mus = [canary_mu(int(v), guesses, canaries) for v in right]
    return [*exact, np.array([gaussian_reading(mu, delta) for mu in mus])]


def _trained(settings: dict[str, Any]) -> Arrays:
    """Train with canaries at every noise; return right guesses, areas and accuracies."""
    numbers = np.array(
        [
            [_audited(sigma, repeat, settings) for repeat in range(settings["repeats"])]
            for sigma in told(settings["sigmas"], "canaries", "noises")
        ]
    )
    kinds = len(settings["guessed"])
    return {
        "right": numbers[..., :kinds].astype(np.uint16),
        "measured": numbers[..., kinds:].astype(np.float32),
    }


def _audited(sigma: float, repeat: int, settings: dict[str, Any]) -> list[float]:
    # The same split and tosses at every noise.
    rng, canaries = np.random.default_rng((settings["seed"], repeat)), settings["canaries"]
    how = {"sampling": settings["sampling"], "steps": settings["steps"]}
    run = train_with_canaries(sigma, canaries, rng, **how)
    right = [
        right_guesses(run.scores, run.included, round(share * canaries)) for share in settings["guessed"]
    ]
    area = roc(run.scores, run.included).auc
    return [*right, area, run.accuracy]


RUNS = (
    Run("canaries_digits", TRAINED, lambda: _trained(TRAINED)),
    Run("canaries_proofs", TABLE, lambda: _proofs(TABLE)),
)
