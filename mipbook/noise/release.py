"""The practitioner's wrapper: from data and a learner to a release with a promise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mipbook import validate
from mipbook.mip.calibration import Calibration, calibrate_scale, fits_needed
from mipbook.mip.coupling import gaussian_sigma_for_mip
from mipbook.mip.noise_scale import noise_scale
from mipbook.noise.parameters import estimator_parameters, is_estimator, with_parameters

__all__ = ["MIPRelease", "Release"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Release:
    """What `MIPRelease.release` returns.

    ``parameters`` and ``model`` may be published, and so may ``noise`` and ``eta``.
    ``members`` and ``utility_before`` come from the half without noise: keep them.
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


class MIPRelease:
    """Release a statistic or a scikit-learn model with membership inference privacy.

    Parameters
    ----------
    learner : scikit-learn estimator or callable
        An estimator that predicts from a fixed list of numbers (linear models, k-means,
        naive Bayes, neural networks, ...), or a function from records to a number or a
        vector.
    eta : float
        The promise, in (0, 1/2): no attacker is right more than 1/2 + eta of the time about
        any record, over the draw of the half.
    sigma : array_like of shape (d,), optional
        Bounds on ``E|theta_j - m_j|`` of each coordinate over random halves, known from
        elsewhere.  Without it the noise is calibrated on fits.
    noise : {"gaussian", "gamma"}
        The law of the noise; *gamma* has the tail exp(-|x|).
    M : float
        Exponent of the norm for *gamma*, in [1, inf]; 2 for *gaussian*.
    fits : int
        Fits on random halves for the calibration, at least `mipbook.mip.fits_needed`.
    confidence : float
        The chance, in (0, 1), that a calibrated promise holds, at least.
    n_jobs : int, optional
        Processes for the fits, through joblib.

    Raises
    ------
    ValueError
        For an argument outside its range, and for what cannot be guaranteed, with the reason.

    Notes
    -----
    New here; in place of MIP paper, Algorithm 1.

    Examples
    --------
    >>> incomes = np.random.default_rng(0).lognormal(3, 0.5, 400)
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
        noise: str = "gaussian",
        M: float = 2.0,
        fits: int = 2000,
        confidence: float = 0.999,
        n_jobs: int | None = None,
    ) -> None:
        if not (is_estimator(learner) or callable(learner)):
            validate.refuse("learner", learner, "a scikit-learn estimator or a function of records")
        self.learner = learner
        self.eta = validate.number("eta", eta, 0.0, 0.5, open_low=True, open_high=True)
        self.noise = validate.choice("noise", noise, ("gaussian", "gamma"))
        self.M = validate.number("M", M, 1.0, math.inf)
        if noise == "gaussian" and self.M != 2:
            validate.refuse("M", M, "2 for Gaussian noise")
        self.confidence = confidence
        least = fits_needed(self.eta, confidence)
        self.fits = validate.integer("fits", fits, 1)
        self.sigma = None
        if sigma is not None:
            self.sigma = validate.array(
                "sigma", sigma, 0.0, math.inf, open_low=True, open_high=True, ndim=1
            )
        elif self.fits < least:
            reason = f"at least {least} for eta = {self.eta:g}: fewer cannot prove it"
            validate.refuse("fits", fits, reason)
        self.n_jobs = None if n_jobs is None else validate.integer("n_jobs", n_jobs, -1)
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

        Returns
        -------
        Release

        Raises
        ------
        ValueError
            For malformed data, a learner that cannot be protected this way, or a second
            release.
        """
        validate.generator("rng", rng)
        if self._released:
            validate.refuse(
                "release", "a second one", "the first: MIP promises nothing about two together"
            )
        rows, targets = _data(X, y)
        fit = _Fit(self.learner, rows, targets)
        noise = self._calibration(fit, len(rows), rng)
        members = np.zeros(len(rows), dtype=bool)
        members[rng.permutation(len(rows))[: len(rows) // 2]] = True
        model, theta = fit.both(np.flatnonzero(members))
        released = theta + noise.draw(rng)
        self._released = True
        copy = None
        if is_estimator(self.learner):
            copy = with_parameters(model, fit.task, released)
        before, after = _utilities(utility, rows, targets, (model, theta), (copy, released))
        return Release(
            parameters=released,
            model=copy,
            noise=noise,
            eta=self.eta,
            guaranteed=self.sigma is None,
            statement=self._statement(noise),
            utility_before=before,
            utility_after=after,
            members=members,
        )

    def _calibration(self, fit: _Fit, n: int, rng: np.random.Generator) -> Calibration:
        if self.sigma is None:
            return calibrate_scale(
                np.arange(n),
                fit,
                self.eta,
                rng,
                fits=self.fits,
                confidence=self.confidence,
                noise=self.noise,
                M=self.M,
                n_jobs=self.n_jobs,
            )
        size = fit(np.arange(n)).size
        if self.sigma.size != size:
            validate.refuse("sigma", self.sigma, f"of length {size}, one a parameter")
        # With these weights the norm's mean deviation is at most (mean |.|^M)^(1/M) = 1 for
        # M = 1; for larger M the first moment of the norm is at most d^(1 - 1/M).
        spread = size ** (1 - 1 / self.M) if math.isfinite(self.M) else float(size)
        if self.noise == "gaussian":
            scale = float(gaussian_sigma_for_mip(spread, self.eta))
        else:
            scale = spread * float(noise_scale(self.eta))
        return Calibration(scale, self.eta, self.noise, self.M, self.sigma, np.zeros(size), 0, 1.0)

    def _statement(self, noise: Calibration) -> str:
        law = "Gaussian" if self.noise == "gaussian" else "of density exp(-|x|)"
        if self.sigma is None:
            ground = (
                f"Guaranteed with {noise.confidence:.4g} confidence over the {noise.fits} fits "
                "that set the noise, in real arithmetic."
            )
        else:
            ground = "Guaranteed if the given sigma really bounds the spread; that was not checked."
        return (
            f"eta = {self.eta:g}: nobody is right more than {0.5 + self.eta:.1%} of the time about "
            f"whether a record was in the half, over its random draw. Noise {law}, scale "
            f"{noise.scale:.6g} in units of {np.array2string(noise.weights, precision=4)}. "
            f"{ground} Not promised: that a record is hidden from those who know the half in part, "
            "that it is hidden that a record was among all the data, that rare outputs reveal "
            "nothing, or anything about a second release."
        )


class _Fit:
    """From row numbers to a vector; picklable, so that fits may run in other processes."""

    def __init__(self, learner: Any, rows: Any, targets: Any) -> None:
        self.learner, self.rows, self.targets = learner, rows, targets
        self.task = self.both(np.arange(len(rows)))[0]

    def both(self, chosen: Any) -> tuple[Any, Array]:
        """Return the fitted model (or None) and its numbers."""
        if not is_estimator(self.learner):
            theta = np.atleast_1d(np.asarray(self.learner(self.rows[chosen])))
            if theta.dtype.kind not in "iuf":
                validate.refuse("learner", self.learner, "a function that returns real numbers")
            return None, theta.astype(float)
        from sklearn.base import clone

        model = clone(self.learner)
        if self.targets is None:
            model.fit(self.rows[chosen])
        else:
            model.fit(self.rows[chosen], self.targets[chosen])
        return model, estimator_parameters(model)

    def __call__(self, chosen: Any) -> Array:
        """Return the numbers alone."""
        return self.both(np.asarray(chosen))[1]


def _data(X: Any, y: Any) -> tuple[Any, Any]:
    rows = np.asarray(X)
    if rows.ndim == 0 or rows.dtype.kind not in "iufb":
        validate.refuse("X", X, "an array of numbers, one record a row; encode words first")
    if len(rows) < 4 or len(rows) % 2:
        validate.refuse("X", f"{len(rows)} records", "an even number of records, at least 4")
    if not np.isfinite(rows.astype(float)).all():
        validate.refuse("X", X, "finite; fill or drop missing values first")
    if y is None:
        return rows, None
    targets = np.asarray(y)
    if len(targets) != len(rows):
        validate.refuse("y", f"{len(targets)} targets", f"one for each of {len(rows)} records")
    return rows, targets


def _utilities(
    utility: Any, rows: Any, targets: Any, before: tuple[Any, Array], after: tuple[Any, Array]
) -> tuple[float | None, float | None]:
    model = before[0]
    if model is None:
        if utility is None:
            return None, None
        return float(utility(before[1], rows)), float(utility(after[1], rows))
    if utility is not None:
        return float(utility(model, rows, targets)), float(utility(after[0], rows, targets))
    if not hasattr(model, "score"):
        return None, None
    arguments = (rows,) if targets is None else (rows, targets)
    return float(model.score(*arguments)), float(after[0].score(*arguments))
