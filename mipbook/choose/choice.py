"""The tool: a data set and a target in, an epsilon with its certificate out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from explorable.checked import Number, OneOf, Switched, checked
from explorable.private import private
from explorable.tables import Role
from mipbook import data as pools
from mipbook import pmp
from mipbook.base.rounding import Estimate, Report, at_least, at_most
from mipbook.base.types import Array
from mipbook.choose import search

# What would pass for one.
_NO_NUMBERS = (str, bool, np.bool_, complex)
POOL_ROLES = (Role("columns", "Columns", "", "make up a record", many=True, otherwise="rest", most=20),)


def _as_pool(data: Any, by_index: bool) -> Array:
    """Return data as a pool of shape (2n, dimension), or say what is wrong and what mends it.

    PMP paper, Definition 2 and its second footnote: records must differ, since an attacker who
    is asked about one of two equal records has no answer.  With ``by_index`` they are different persons.
    """
    if isinstance(data, str | bytes) or data is None:
        validate.refuse("data", data, "an array or data frame with one record a row")
    try:
        raw = np.asarray(data)
    except (TypeError, ValueError):
        validate.refuse("data", data, "rows of equal length")
    if raw.ndim == 1:
        raw = raw[:, None]
    if raw.ndim != 2 or 0 in raw.shape:
        validate.refuse_as("data", f"of shape {raw.shape}", "of shape (records, columns), not empty")
    names = map(str, data.columns) if hasattr(data, "columns") else range(raw.shape[1])
    table = _numbers(raw, [f"column {name!r}" for name in names])
    if len(table) % 2:
        validate.refuse_as(
            "data",
            f"{len(table)} records",
            "an even number of records, at least 2: half of them are drawn; drop one at random",
        )
    order = np.lexsort(table.T[::-1])
    same = np.flatnonzero((table[order[1:]] == table[order[:-1]]).all(axis=1))
    if same.size and not by_index:
        one, other = sorted(order[same[0] : same[0] + 2].tolist())
        validate.refuse_as(
            "data",
            f"rows {one} and {other} are equal",
            "distinct records: drop repeats, or pass by_index=True to count equal rows as different persons",
        )
    return table


def _numbers(raw: NDArray[Any], columns: list[str]) -> Array:
    """Return the cells as finite numbers; the first column that has others is named."""
    table = np.empty(raw.shape)
    for place, (column, cells) in enumerate(zip(columns, raw.T, strict=True)):
        try:
            if cells.dtype.kind not in "iuf" and any(isinstance(c, _NO_NUMBERS) for c in cells):
                raise TypeError
            table[:, place] = cells.astype(float)
        except (TypeError, ValueError, OverflowError):
            validate.refuse_as(
                "data", column, "numbers; turn categories and switches into numbers, or drop the column"
            )
        bad = np.flatnonzero(~np.isfinite(table[:, place]))
        if bad.size:
            validate.refuse_as(
                "data",
                f"{column}, row {bad[0]}: {table[bad[0], place]}",
                f"finite; {bad.size} of {len(table)} cells of the column are not, so drop or fill them first",
            )
    return table


NOT_PROMISED = (
    "Composition: a second release, even one that is safe alone, may together with this one "
    "reveal who was drawn.",
    "Later releases and side knowledge: the attacker is assumed to know the pool and nothing of the draw.",
    "Records outside the pool: the certificate is about these records; only epsilon-DP holds for all.",
    "The draw: half of the pool, uniformly at random, and kept secret.",
    "Groups: each record is protected alone.",
    "Another preparation: the release must clip at the same threshold.",
)


@dataclass(frozen=True)
class EpsilonChoice(Report):
    """An epsilon for a data set, with what is certain, what is likely, and what is not promised.

    Attributes
    ----------
    mechanism : str
        *gaussian* or *exponential*.
    epsilon, delta : float
        The mechanism's differential privacy, against the attacker who knows everybody else.
    sigma : float
        Standard deviation of the Gaussian noise in each coordinate; 0 for the exponential
        mechanism.
    target : float
        The PMP parameter asked for.
    certificate : Estimate
        The PMP parameter that is certain, at most ``target``: *exact* or a *bound*, as an estimate
        certifies nothing.
    likely : Estimate
        The PMP parameter itself, exact or approximate.
    subset_epsilon : Estimate
        What the attacker faces who knows everybody else on this pool.
    success : float
        How often the best practical attacker is right, at most (bound).
    likely_success : Estimate
        The same, exact where the attack itself can be computed, else at the likely value.
    utility : dict
        What the release costs; each entry says its own kind.
    records, drawn, clipped : int
        Records of the pool, records of a data set, records that the clip threshold shortened.
    notes : tuple of str
        What the reader should know of this very answer.
    not_promised : tuple of str
        What the certificate does not cover.
    """

    mechanism: str
    epsilon: float
    delta: float
    sigma: float
    target: float
    certificate: Estimate
    likely: Estimate
    subset_epsilon: Estimate
    success: float
    likely_success: Estimate
    utility: dict[str, str]
    records: int
    drawn: int
    clipped: int
    notes: tuple[str, ...] = ()
    not_promised: tuple[str, ...] = NOT_PROMISED

    def rows(self) -> list[tuple[str, str]]:
        """Return the answer as pairs of what and how much.

        Examples
        --------
        >>> from mipbook.choose import choose_epsilon
        >>> choose_epsilon([0.0, 1.0, 2.0, 4.0], 0.5, clip=4.0, delta=0.01).rows()[0][0]
        'epsilon to use'
        """
        noise = ("noise, sigma", f"{at_most(self.sigma)} (rounded up)")
        known = {
            "eps~, certain": self.certificate,
            "eps~, likely": self.likely,
            "eps(X), all others known": self.subset_epsilon,
        }
        right = self.likely_success
        return [
            ("epsilon to use", f"{at_least(self.epsilon)} (exact, rounded down)"),
            ("delta", at_most(self.delta)),
            *([noise] if self.mechanism == "gaussian" else []),
            ("target for eps~", f"{self.target:.6g}"),
            *((name, f"{at_most(found.value)} ({found.kind})") for name, found in known.items()),
            (
                "an attacker who knows the pool is right",
                f"at most {at_most(100 * self.success, 3)} times in 100 (bound)",
            ),
            ("and likely", f"{at_most(100 * right.value, 3)} times in 100 ({right.kind})"),
            *((_CALLED.get(name, name), told) for name, told in self.utility.items()),
            ("records shortened by clipping", f"{self.clipped} of {self.records}"),
        ]

    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return what the certificate does not promise."""
        return "Not promised", self.not_promised


MECHANISMS = ("gaussian", "exponential")
# What a report calls costs that are stored under longer names.
_CALLED = {
    "noise of the mean, root mean square": "noise on the mean, RMS",
    "error of drawing half, root mean square": "sampling error of drawing half, RMS",
}
# From here on an epsilon promises nothing to speak of by itself.
_VOID = 20.0


@private("data", "objects")
@checked
def choose_epsilon(
    data: Any,
    target: Annotated[float, Number(0.0, 100.0, open_low=True)] = 0.1,
    *,
    mechanism: Annotated[str, OneOf(MECHANISMS)] = "gaussian",
    clip: float,
    by_index: Annotated[bool, Switched()] = False,
    # for Gaussian noise alone
    delta: float = 1e-5,
    # for the exponential mechanism alone
    objects: ArrayLike | None = None,
    budget: Annotated[float, Number(0.0, math.inf, open_low=True)] = 60.0,
) -> EpsilonChoice:
    """Choose the largest epsilon for which the practical attacker's parameter meets a target.

    Parameters
    ----------
    data : array_like or data frame of shape (2n, columns)
        The pool: one record a row, finite numbers, all rows different.  Half of it is drawn
        and released through the mechanism.
    target : float
        Largest PMP parameter, in (0, 100]; the paper suggests 0.1.
    mechanism : {"gaussian", "exponential"}
        A mean with Gaussian noise, or the choice of the object with the least mean distance.
    clip : float
        Largest Euclidean length of a record, in [1e-150, 1e150], chosen without looking at the
        data; longer ones are shortened.
    by_index : bool
        Whether equal rows count as different persons; refused otherwise.
    delta : float
        In (0, 1).  Gaussian noise only.
    objects : array_like of shape (objects, columns)
        What is chosen from; unit vectors.  This and what follows serve the exponential
        mechanism only.
    budget : float
        Seconds that halves may be counted, in (0, inf).  What is certified without counting
        takes a few seconds more for 100,000 records.

    Notes
    -----
    PMP paper, section on the Gaussian mechanism ("Our approach") and its conclusion.  The
    certificate is exact or a bound, never an estimate.  Gaussian: the least noise for which the
    exact curve (one column, up to 400 records) or Proposition 12 keeps the target; epsilon is
    that noise's DP parameter at sensitivity ``2 * clip / n``.  Exponential: the largest epsilon
    that `mipbook.pmp.exponential_epsilon_bound` certifies; where all halves can be counted, the
    largest of a grid above it, refined, below which every point of the grid keeps the target,
    because eps~ is not monotone.  The noise (upwards) or the exponential mechanism's epsilon
    (downwards) is rounded to four digits, so that it can be typed in again.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> answer = choose_epsilon(rng.normal(size=(200, 2)), 0.1, clip=4.0, delta=1e-3)
    >>> answer.certificate.value <= 0.1 < answer.epsilon
    True
    """
    if mechanism == "gaussian":
        delta = validate.number("delta", delta, 0.0, 1.0, open_low=True, open_high=True)
    if objects is not None:
        objects = pools.populations.points("objects", objects)
    table = _as_pool(data, by_index)
    if clip is None:
        validate.refuse("clip", clip, "a public bound on the length of a record")
    clip = validate.number("clip", clip, 1e-150, 1e150)
    short = pools.clip_norm(table, clip)
    if mechanism == "gaussian":
        found = search.gaussian(table, short, target, clip, delta)
    elif objects is None:
        validate.refuse("objects", objects, "the objects that the mechanism chooses from")
    else:
        found = search.exponential(short, target, clip, objects, budget)
    told = found._asdict()
    clipped = int((pools.populations.norms(table) > clip).sum())
    promised = told.pop("promised")
    told["notes"] = _notes(short, clipped, found.notes, promised)
    return EpsilonChoice(
        mechanism=mechanism,
        target=target,
        success=float(pmp.success_bound(found.certificate.value, found.delta)),
        records=len(table),
        drawn=len(table) // 2,
        clipped=clipped,
        **told,
    )


def _notes(short: Array, clipped: int, own: tuple[str, ...], promised: float) -> tuple[str, ...]:
    """Return what to know of an answer, the mechanism's ``own`` notes among it."""
    notes: tuple[str, ...] = ()
    if len(short) == 2:
        notes += ("With two records PMP is DP: the attacker who knows the pool knows the rest.",)
    if clipped == len(short):
        notes += (
            "Clipping shortens every record: only directions are left.  Raise clip, or centre the "
            "columns with numbers that are no secret.",
        )
    if np.ptp(short, axis=0).max() == 0:
        notes += ("All clipped records are equal, so no mechanism can tell them apart.",)
    notes += own
    if promised > _VOID:
        notes += (
            f"An epsilon of {promised:.3g} promises nothing by itself: outside this pool, or to "
            f"an attacker who knows the other records, the release is not private.",
        )
    return notes
