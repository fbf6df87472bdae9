"""The half that nobody may learn of: drawn, fitted and released out of sight."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mipbook.base.attempt import unheard
from mipbook.base.types import Array
from mipbook.mip.grid import Calibration
from mipbook.release.learners import Learner

__all__ = ["Half", "release_of_a_half"]

Judge = Callable[[Any, Array], float | None]


class Half(NamedTuple):
    """What was drawn: the release, who was in, and how good the fit was without noise."""

    released: Array
    members: NDArray[np.bool_]
    utility: float | None


def release_of_a_half(fit: Learner, noise: Calibration, utility: Judge, rng: np.random.Generator) -> Half:
    """Draw a half and release its fit; where there is none, release the noise's centre.

    Who stops it gets a bare exception: the one that was raised holds the half in its frames.
    """
    own = rng.spawn(1)[0]
    try:
        return _out_of_sight(fit, noise, utility, rng, own)
    except BaseException as error:
        stop = type(error)
    try:
        bare = stop()
    except Exception:  # an exception that wants arguments
        bare = KeyboardInterrupt()
    raise bare


def _out_of_sight(
    fit: Learner, noise: Calibration, utility: Judge, rng: np.random.Generator, own: np.random.Generator
) -> Half:
    count = len(fit.rows)
    members = np.zeros(count, dtype=bool)
    members[rng.permutation(count)[: count // 2]] = True
    with unheard(), _chance_of_its_own(own):
        warnings.simplefilter("ignore")
        try:
            model, theta = fit.apart().both(np.flatnonzero(members))
            released = noise.release(theta, rng)
        except KeyboardInterrupt:
            raise
        except BaseException:  # one that ends the program would tell of the half, too
            return Half(noise.release(noise.centre, rng), members, None)
        return Half(released, members, utility(model, theta))


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
