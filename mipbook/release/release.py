"""The practitioner's wrapper: from data and a learner to a release with a promise."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mipbook.base import validate
from mipbook.base.rounding import at_most
from mipbook.base.types import Array
from mipbook.mip.noise.betting import swaps_needed
from mipbook.mip.noise.calibrated import Calibration, grid_share
from mipbook.mip.noise.calibration import calibrate_scale, plan
from mipbook.mip.noise.coupling import gaussian_sigma_for_mip
from mipbook.mip.noise.scale import noise_scale
from mipbook.release.estimators import is_estimator, refuse_unsafe
from mipbook.release.learners import Learner, checked_data, utility_of
from mipbook.release.statement import statement_of

__all__ = ["MIPRelease", "Release"]

# Swapped halves of a function, and the fits that they may cost, unless the caller says more.
_SWAPS, _SWAPPED_FITS = 1000, 100_000


@dataclass(frozen=True, repr=False)
class Release:
    """What `MIPRelease.release` returns.

    ``parameters`` and ``model`` may be published, and so may ``noise``, ``eta`` and the
    ``statement``.  ``members`` and ``utility_before`` come from the half without noise: keep
    them.  What is printed or shown of a release leaves them out.
    """

    parameters: Array
    model: Any
    noise: Calibration
    eta: float
    guaranteed: bool
    statement: str
    utility_before: float | None
    utility_after: float | None
    members: NDArray[np.bool_]

    def __repr__(self) -> str:
        shown = np.array2string(self.parameters, threshold=8)
        return f"Release(parameters={shown}, eta={self.eta:g}, guaranteed={self.guaranteed})"

    def _repr_html_(self) -> str:
        return f"<p><code>{html.escape(repr(self))}</code></p><p>{html.escape(self.statement)}</p>"


class MIPRelease:
    """Release a statistic or a scikit-learn model with membership inference privacy.

    Parameters
    ----------
    learner : scikit-learn estimator or callable
        An estimator that predicts from a fixed list of numbers (linear models, k-means,
        naive Bayes, neural networks, ...), without a generator among its settings; or a
        function from records to a number or a vector.
    eta : float
        The promise, in (0, 1/2): no attacker is right more than 1/2 + eta of the time about
        any record, over the draw of the half.
    sigma : array_like of shape (d,), optional
        Bounds on ``E|theta_j - m_j|`` of each coordinate over random halves, known from
        elsewhere.  Without it the noise is calibrated on fits.
    sensitivity : array_like of shape (d,), optional
        The largest change of each coordinate when one record of a half is replaced, known from
        elsewhere; one more route to the least noise.
    noise : {"gaussian", "gamma"}
        The distribution of the noise; *gamma* has the tail ``exp(-|x|)``.
    M : float
        Exponent of the norm for *gamma*, in [1, inf]; 2 for *gaussian*.
    fits : int
        Fits on random halves for the calibration, at least `mipbook.mip.fits_needed`.
    swaps : int, optional
        Halves of which every record is swapped once, at n/2 + 1 fits each, for the route by
        average sensitivity, which usually needs the least noise.  If not given, up to 1000 and
        100,000 fits for a function, and none for an estimator.

    Raises
    ------
    ValueError
        Also for what cannot be guaranteed, with the reason.

    Notes
    -----
    New here; in place of MIP paper, Algorithm 1.  Value and noise are whole numbers of steps of
    a public grid, and the noise is drawn exactly, so that the promise holds for every digit;
    see ``mipbook.mip.noise.grid``.

    Examples
    --------
    >>> incomes = np.random.default_rng(0).lognormal(3, 0.5, 40)
    >>> release = MIPRelease(np.mean, eta=0.1).release(incomes, rng=np.random.default_rng(1))
    >>> release.guaranteed, release.parameters.shape
    (True, (1,))
    """

    def __init__(
        self,
        learner: Any,
        eta: float,
        *,
        sigma: Any = None,
        sensitivity: Any = None,
        noise: str = "gaussian",
        M: float = 2.0,
        fits: int = 2000,
        swaps: int | None = None,
        confidence: float = 0.999,
        n_jobs: int | None = None,
    ) -> None:
        if is_estimator(learner):
            refuse_unsafe(learner)
        elif not callable(learner):
            validate.refuse("learner", learner, "a scikit-learn estimator or a function of records")
        self.learner = learner
        known = sigma is not None
        self.eta, self.M, self.fits = plan(eta, fits, confidence, noise, M, known=known)
        self.noise, self.confidence = str(noise), float(confidence)
        self.swaps = None if swaps is None else validate.integer("swaps", swaps, 0, 10**6)
        self.sigma = None if sigma is None else _positive("sigma", sigma)
        self.sensitivity = None if sensitivity is None else _positive("sensitivity", sensitivity)
        self.n_jobs = validate.jobs("n_jobs", n_jobs)
        self._released = False

    def release(
        self,
        X: Any,
        y: Any = None,
        *,
        rng: np.random.Generator,
        utility: Callable[..., float] | None = None,
    ) -> Release:
        """Draw a half, fit, add noise, and say what is promised.

        Parameters
        ----------
        X : array_like of shape (n, ...)
            All records, n even, from which a half is drawn.
        y : array_like of shape (n,), optional
            Targets, for an estimator that needs them.
        rng : numpy.random.Generator
            Source of randomness; must stay secret.
        utility : callable, optional
            ``utility(model, X, y)`` for an estimator, ``utility(parameters, X)`` for a
            function.  An estimator's own ``score`` if not given.

        Raises
        ------
        ValueError
            For malformed data, a learner or a utility that does not work on them, or a second
            release.  All of it is tried on all the data before a half is drawn.

        Examples
        --------
        >>> known = MIPRelease(np.mean, eta=0.1, sigma=[0.5])
        >>> released = known.release(np.arange(8.0), rng=np.random.default_rng(0))
        >>> int(released.members.sum()), released.noise.route
        (4, 'sigma')
        """
        validate.generator("rng", rng)
        if self._released:
            validate.refuse(
                "release", "a second one", "the first: MIP promises nothing about two together"
            )
        rows, targets = checked_data(X, y)
        fit = Learner(self.learner, rows, targets)
        utility_now = utility_of(fit, utility)
        noise = self._calibration(fit, len(rows), rng)
        members = np.zeros(len(rows), dtype=bool)
        members[rng.permutation(len(rows))[: len(rows) // 2]] = True
        model, theta = fit.both(np.flatnonzero(members))
        if theta.size != fit.size or not np.isfinite(theta).all():
            validate.refuse(
                "learner", self.learner, f"such that a fit of X has {fit.size} finite numbers"
            )
        released = noise.release(theta, rng)
        self._released = True
        copy = fit.published(released)
        return Release(
            parameters=released,
            model=copy,
            noise=noise,
            eta=self.eta,
            guaranteed=noise.exact and noise.route in ("spread", "swap"),
            statement=statement_of(noise, grid_share(theta.size, noise.noise, noise.M)),
            utility_before=utility_now(model, theta),
            utility_after=utility_now(copy, released),
            members=members,
        )

    def _calibration(self, fit: Learner, n: int, rng: np.random.Generator) -> Calibration:
        if self.sigma is not None:
            return self._given(fit.size)
        if self.sensitivity is not None and self.sensitivity.size != fit.size:
            validate.refuse("sensitivity", self.sensitivity, f"of length {fit.size}")
        swaps = self.swaps
        if swaps is None:
            swaps = 0 if fit.is_estimator else min(_SWAPS, _SWAPPED_FITS // (n // 2 + 1))
            swaps = swaps if swaps >= swaps_needed(self.eta, self.confidence, n) else 0
        return calibrate_scale(
            np.arange(n),
            fit,
            self.eta,
            rng,
            fits=self.fits,
            confidence=self.confidence,
            noise=self.noise,
            M=self.M,
            swaps=swaps,
            sensitivity=self.sensitivity,
            n_jobs=self.n_jobs,
        )

    def _given(self, size: int) -> Calibration:
        """Return the noise for spreads that the caller vouches for."""
        assert self.sigma is not None
        if self.sigma.size != size:
            validate.refuse("sigma", self.sigma, f"of length {size}, one a parameter")
        # With these weights the norm's mean deviation is at most (mean |.|^M)^(1/M) = 1 for
        # M = 1; for larger M the first moment of the norm is at most d^(1 - 1/M).
        spread = size ** (1 - 1 / self.M) if math.isfinite(self.M) else float(size)
        left = self.eta - grid_share(size, self.noise, self.M)
        if left <= self.eta / 2:
            validate.refuse(
                "eta", self.eta, f"at least {at_most(2 * (self.eta - left), 3)} for {size} numbers"
            )
        if self.noise == "gaussian":
            scale = float(gaussian_sigma_for_mip(spread, left))
        else:
            scale = spread * float(noise_scale(left))
        weights, centre = self.sigma, np.zeros(size)
        return Calibration(
            *(scale, self.eta, self.noise, self.M, weights, centre, 0, 1.0),
            route="sigma",
            routes={"sigma": scale},
        )


def _positive(name: str, value: Any) -> Array:
    return validate.array(name, value, 1e-250, 1e250, ndim=1)
