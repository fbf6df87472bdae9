"""The practitioner's wrapper: from data and a learner to a release with a promise."""

import html
import math
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.private import private, unheard
from mipbook.base.rounding import at_least, at_most, up
from mipbook.base.types import Array
from mipbook.mip.calibration import calibrate_scale, fit_on_halves, plan, swaps_needed
from mipbook.mip.conversion import gaussian_sigma_for_mip
from mipbook.mip.grid import Calibration, grid_share
from mipbook.release.learners import Learner, checked_data, is_estimator, refuse_unsafe

_GROUNDS = {
    "spread": "the spread of the fits",
    "swap": "the average effect of swapping one record",
    "sensitivity": "the largest change that one record can make",
    "sigma": "the given spread",
}
_NOT_PROMISED = (
    "that a record is hidden from somebody who knows part of the half,",
    "that it is hidden that a record is in the file,",
    "that rare outputs reveal nothing,",
    "anything about a second release.",
)


def statement_of(noise: Calibration, rounding: float) -> str:
    """Return the promise, its ground, the noise, what each route needs, and what is left out.

    Parameters
    ----------
    noise : Calibration
        The noise of the release.
    rounding : float
        How much of eta the grid takes.

    Examples
    --------
    >>> one = np.ones(1)
    >>> noise = Calibration(2.0, 0.1, "gaussian", one, one, 0, 1.0, route="sigma")
    >>> statement_of(noise, 1e-8)[:55]
    'eta = 0.1: nobody is right more than 60.0% of the time '
    """
    digits = max(1, math.ceil(-math.log10(noise.eta)) - 1)
    right = f"{up(0.5 + noise.eta, 2 + digits):.{digits}%}"
    if noise.route == "sigma":
        ground = (
            "Guaranteed if the given sigma really bounds the spread, with the halves on which the "
            "fit fails; that was not checked."
        )
    elif noise.route == "sensitivity":
        ground = (
            "Guaranteed if the given sensitivity is never exceeded, next to a half on which the "
            "fit fails either; that was not checked."
        )
    else:
        swapped = " and those with a record swapped" if noise.route == "swap" else ""
        sure = f"Guaranteed with confidence {at_least(noise.confidence, 6)}"
        ground = f"{sure}: what set the noise is {noise.fits:,} fits{swapped}."
    costs = "".join(
        f"; by {_GROUNDS[route]} it would {f'be {scale:.4g}' if math.isfinite(scale) else 'take more fits'}"
        for route, scale in noise.routes.items()
        if route != noise.route
    )
    weights = np.array2string(noise.weights, precision=4, threshold=6)
    steps = np.array2string(noise.steps, precision=3, threshold=6)
    left_out = "\n".join(f"- {each}" for each in _NOT_PROMISED)
    return (
        f"eta = {at_most(noise.eta, 6)}: nobody is right more than {right} of the time "
        f"about whether a record was in the half, over its random draw. {ground}\n\n"
        f"The noise is Gaussian, of scale {noise.scale:.4g} in units of {weights}. "
        f"It is set by {_GROUNDS[noise.route]}{costs}. "
        f"Value and noise are whole steps of a public grid, {steps}; what rounding may tell, "
        f"at most {at_most(rounding, 2)} of eta, is counted. "
        "Where the fit fails on the half, a fixed vector takes its place: a failure looks like any answer. "
        "The noise is drawn in whole numbers, with every error counted: the promise holds to the last "
        f"digit.\n\nNot promised:\n{left_out}"
    )


def release_of_a_half(
    fit: Learner, noise: Calibration, rng: np.random.Generator
) -> tuple[Array, NDArray[np.bool_]]:
    """Draw a half and release its fit, or where there is none the noise's centre; and say who was in.

    Who stops it gets a bare exception: the one that was raised holds the half in its frames.
    """
    own = rng.spawn(1)[0]
    try:
        return _out_of_sight(fit, noise, rng, own)
    except BaseException as error:
        stop = type(error)
    try:
        bare = stop()
    except Exception:  # an exception that wants arguments
        bare = KeyboardInterrupt()
    raise bare


def _out_of_sight(
    fit: Learner, noise: Calibration, rng: np.random.Generator, own: np.random.Generator
) -> tuple[Array, NDArray[np.bool_]]:
    count = len(fit.rows)
    members = np.zeros(count, dtype=bool)
    members[rng.permutation(count)[: count // 2]] = True
    with unheard(), _chance_of_its_own(own):
        warnings.simplefilter("ignore")
        try:
            _, theta = fit.apart().both(np.flatnonzero(members))
            return noise.release(theta, rng), members
        except KeyboardInterrupt:
            raise
        except BaseException:  # one that ends the program would tell of the half, too
            return noise.release(noise.centre, rng), members


@contextmanager
def _chance_of_its_own(rng: np.random.Generator) -> Iterator[None]:
    """Seed the global generators; how far a fit moved them would tell how long it took."""
    before = random.getstate(), np.random.get_state()  # noqa: NPY002
    seed = int(rng.integers(2**32))
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002


# Swapped halves of a function, and the fits that they may cost, unless the caller says more.
_SWAPS, _SWAPPED_FITS = 1000, 100_000
# Halves that are tried where a sigma is given and no fits are needed for the noise.
_TRIED = 20
_SETTINGS = ("eta", "sigma", "sensitivity", "fits", "swaps", "confidence", "n_jobs")
_SECOND = ("release", "a second one", "the first: MIP promises nothing about two together")


@dataclass(frozen=True, repr=False)
class Release:
    """What `MIPRelease.release` returns.

    ``parameters`` and ``model`` may be published, and so may ``eta`` and the ``statement``.
    ``members`` is the half that was drawn: keep it, and whatever holds it, such as a pickle.  So do
    with ``noise``: its ``centre`` has no noise, though it tells nothing about the half.  What is
    printed or shown of a release leaves both out.
    """

    parameters: Array
    model: Any
    noise: Calibration
    eta: float
    guaranteed: bool
    statement: str
    members: NDArray[np.bool_]

    def __repr__(self) -> str:
        shown = np.array2string(self.parameters, threshold=8)
        return f"Release(parameters={shown}, eta={self.eta:g}, guaranteed={self.guaranteed})"

    def _repr_html_(self) -> str:
        return f"<p><code>{html.escape(repr(self))}</code></p><p>{html.escape(self.statement)}</p>".replace(
            "\n", "<br>"
        )


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
    fits : int
        Fits on random halves for the calibration, at least `mipbook.mip.fits_needed`.  With
        ``sigma`` no more than 20 of them are made, to find a learner that fails on halves.
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

    A half on which the learner fails, or gives no finite vector of the usual length, is released as
    if ``noise.centre`` were its fit: a fixed value, so that the release is a function of every half
    and the theorems cover it.  An error in its place would be an answer without noise, and where
    only one record can make a fit work it would name that record.

    Examples
    --------
    >>> incomes = np.random.default_rng(0).lognormal(3, 0.5, 40)
    >>> release = MIPRelease(np.mean, eta=0.1).release(incomes, rng=np.random.default_rng(1))
    >>> release.guaranteed, release.parameters.shape
    (True, (1,))
    """

    @private("self", "learner")
    def __init__(
        self,
        learner: Any,
        eta: float,
        *,
        sigma: Any = None,
        sensitivity: Any = None,
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
        self.eta, self.fits = plan(eta, fits, confidence, known=sigma is not None)
        self.confidence = float(confidence)
        self.swaps = None if swaps is None else validate.integer("swaps", swaps, 0, 10**6)
        self.sigma, self.sensitivity = (
            None if given is None else validate.array(name, given, 1e-250, 1e250, ndim=1)
            for name, given in (("sigma", sigma), ("sensitivity", sensitivity))
        )
        self.n_jobs = validate.jobs("n_jobs", n_jobs)
        self._unused = [True]

    @private("self", "X", "y", also=_SETTINGS)
    def release(self, X: Any, y: Any = None, *, rng: np.random.Generator | None = None) -> Release:
        """Draw a half, fit, add noise, and say what is promised.

        Parameters
        ----------
        X : array_like of shape (n, ...)
            All records, n even, from which a half is drawn.
        y : array_like of shape (n,), optional
            Targets, for an estimator that needs them.
        rng : numpy.random.Generator, optional
            Source of randomness; must stay secret, so a seed is refused.

        Raises
        ------
        ValueError
            For malformed data, a learner that fails on all of them or on one of the halves that
            are tried, or a second release.  All of this is before
            the half is drawn; from then on the release counts as used, whatever happens.

        Examples
        --------
        >>> known = MIPRelease(np.mean, eta=0.1, sigma=[0.5])
        >>> released = known.release(np.arange(8.0), rng=np.random.default_rng(0))
        >>> int(released.members.sum()), released.noise.route
        (4, 'sigma')
        """
        rng = validate.generator("rng", rng, seeds=False)
        if not self._unused:
            validate.refuse_as(*_SECOND)
        rows, targets = checked_data(X, y)
        fit = Learner(self.learner, rows, targets)
        noise = self._calibration(fit, len(rows), rng)
        with np.errstate(over="ignore"):
            # What stands in for a fit is released like one.
            if not np.isfinite(noise.centre / noise.steps).all():
                validate.refuse("X", X, "of fits that are less than 1e300 times the noise")
        try:
            # Before the half is drawn, and in one step, so that of two threads one is refused.
            self._unused.pop()
        except IndexError:
            validate.refuse_as(*_SECOND)
        released, members = release_of_a_half(fit, noise, rng)
        statement = statement_of(noise, grid_share(fit.whole.size))
        guaranteed = noise.route in ("spread", "swap")
        return Release(released, fit.published(released), noise, self.eta, guaranteed, statement, members)

    def _calibration(self, fit: Learner, n: int, rng: np.random.Generator) -> Calibration:
        if self.sigma is not None:
            return self._given(fit, n, rng)
        if self.sensitivity is not None and self.sensitivity.size != fit.whole.size:
            validate.refuse("sensitivity", self.sensitivity, f"of length {fit.whole.size}")
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
            noise="gaussian",
            swaps=swaps,
            sensitivity=self.sensitivity,
            n_jobs=self.n_jobs,
        )

    def _given(self, fit: Learner, n: int, rng: np.random.Generator) -> Calibration:
        """Return the noise for spreads that the caller vouches for."""
        assert self.sigma is not None
        size = fit.whole.size
        if self.sigma.size != size:
            validate.refuse("sigma", self.sigma, f"of length {size}, one a parameter")
        left = self.eta - grid_share(size)
        if left <= self.eta / 2:
            validate.refuse(
                "eta", self.eta, f"at least {at_most(2 * (self.eta - left), 3)} for {size} numbers"
            )
        # The first moment of the norm with these weights is at most the root of the size.
        scale = float(gaussian_sigma_for_mip(math.sqrt(size), left))
        if tried := min(self.fits, _TRIED):
            fit_on_halves(np.arange(n), fit, tried, rng, n_jobs=self.n_jobs)
        return Calibration(
            *(scale, self.eta, "gaussian", self.sigma, fit.whole, 0, 1.0),
            route="sigma",
            routes={"sigma": scale},
        )
