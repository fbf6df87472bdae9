"""From what is known of a release, whichever it is, to its reading."""

from __future__ import annotations

from typing import Any

from explorable import validate
from mipbook.together import known
from mipbook.together.reading import Reading

__all__ = ["translate"]

# Which arguments tell which promise or mechanism; those in the second set may be left out.
_FORMS: dict[str, tuple[set[str], set[str], Any]] = {
    "(epsilon, delta)-DP": ({"epsilon"}, {"delta"}, known.from_dp),
    "Rényi DP": ({"alpha", "epsilon"}, set(), known.from_renyi),
    "randomised response": ({"epsilon", "answers"}, set(), known.from_randomised_response),
    "GDP": ({"mu"}, set(), known.from_gdp),
    "zCDP": ({"rho"}, set(), known.from_concentrated),
    "Gaussian noise": ({"sigma"}, {"sensitivity"}, known.from_gaussian),
    "Laplace noise": ({"scale"}, {"sensitivity"}, known.from_laplace),
    "Gaussian noise on a sample": ({"sigma", "sampling"}, {"sensitivity"}, known.from_subsampled_gaussian),
}


def translate(
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    alpha: float | None = None,
    answers: int | None = None,
    mu: float | None = None,
    rho: float | None = None,
    sigma: float | None = None,
    scale: float | None = None,
    sampling: float | None = None,
    sensitivity: float | None = None,
) -> Reading:
    """Read a release in every notion, from one of the ways to know it.

    Parameters
    ----------
    epsilon, delta : float, optional
        A DP promise; ``delta`` is 0 if it is not given.
    alpha : float, optional
        The order, in (1, inf): then ``epsilon`` is that of Rényi DP.
    answers : int, optional
        With ``epsilon``: how many answers randomised response has, from 2 to 1,000,000.
    mu : float, optional
        The parameter of Gaussian DP, in (0, inf).
    rho : float, optional
        The parameter of zCDP, in [0, inf).
    sigma : float, optional
        The standard deviation of Gaussian noise, in (0, inf).
    scale : float, optional
        The scale of Laplace noise, in (0, inf).
    sampling : float, optional
        With ``sigma``: the chance of each record to be in the sample, in (0, 1].
    sensitivity : float, optional
        With ``sigma`` or ``scale``: the largest distance of the outputs, 1 if not given.

    Raises
    ------
    ValueError
        If the arguments that are given tell no promise and no mechanism.

    Notes
    -----
    How each number comes about is told where its promise or mechanism is read, in `from_dp` and
    its like.

    Examples
    --------
    >>> found = translate(epsilon=3, delta=1e-5)
    >>> round(100 * found.accuracy(), 2), round(100 * found.tpr(0.01), 1)
    (95.26, 20.1)
    >>> round(found.eta.value, 4), round(1 - found.mis.value, 3)
    (0.4526, 0.365)
    """
    told = {
        "epsilon": epsilon,
        "delta": delta,
        "alpha": alpha,
        "answers": answers,
        "mu": mu,
        "rho": rho,
        "sigma": sigma,
        "scale": scale,
        "sampling": sampling,
        "sensitivity": sensitivity,
    }
    given = {name: value for name, value in told.items() if value is not None}
    for needed, optional, made in _FORMS.values():
        if needed <= given.keys() <= needed | optional:
            reading: Reading = made(**given)
            return reading
    forms = "; ".join(f"{' and '.join(sorted(needed))} for {form}" for form, (needed, _, _) in _FORMS.items())
    validate.refuse("arguments", sorted(given), f"those of one form: {forms}")
