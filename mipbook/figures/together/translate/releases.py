"""What may be known of a release, by one number: the choices of the panels, and their words."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from mipbook import accounting
from mipbook.figures.words import say

__all__ = ["DELTA", "PAIR", "RELEASES", "kind", "known", "neighbours"]

# Where the epsilon of a reading is asked.
DELTA = 1e-5
PAIR = "(ε, 10⁻⁵)-DP"


class _Release(NamedTuple):
    """How a release is read from its number, and how it is told."""

    made: Callable[[float], accounting.Reading]
    told: Callable[[float], str]


RELEASES: dict[str, _Release] = {
    PAIR: _Release(lambda x: accounting.from_dp(x, DELTA), lambda x: f"({say(x)}, 10⁻⁵)-DP"),
    "Gaussian": _Release(
        lambda x: accounting.from_gaussian(1 / x),
        lambda x: f"Gaussian noise of σ = {say(1 / x)}, {say(x)}-GDP",
    ),
    "Laplace": _Release(
        lambda x: accounting.from_laplace(1 / x),
        lambda x: f"Laplace noise of scale {say(1 / x)}, {say(x)}-DP",
    ),
    "ten answers": _Release(
        lambda x: accounting.from_randomised_response(x, 10),
        lambda x: f"randomised response with 10 answers and ε = {say(x)}",
    ),
    "geometric": _Release(
        lambda x: accounting.from_geometric(x, 2),
        lambda x: f"geometric noise with ε = {say(x)} for changes of 2",
    ),
    "of a sample": _Release(
        lambda x: accounting.from_subsampled_gaussian(1 / x, 0.1),
        lambda x: f"Gaussian noise of σ = {say(1 / x)} on a sample of 1 in 10",
    ),
    "zCDP": _Release(accounting.from_concentrated, lambda x: f"{say(x)}-zCDP"),
    "Rényi": _Release(lambda x: accounting.from_renyi(8.0, x), lambda x: f"({say(8)}, {say(x)})-Rényi DP"),
}


@lru_cache(maxsize=1024)
def known(release: str, size: float) -> accounting.Reading:
    """Return the reading of a release by its number."""
    return RELEASES[release].made(size)


def kind(reading: accounting.Reading) -> str:
    """Say what sort of number a rate is."""
    return "exact" if reading.sharp else "bound"


def neighbours(reading: accounting.Reading) -> str:
    """Say which data sets differ by a record."""
    return "replace one record" if reading.replaced else "add or remove one record"
