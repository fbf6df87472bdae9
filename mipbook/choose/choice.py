"""The tool: a data set and a target in, an epsilon with its certificate out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

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
from mipbook.choose.search import choose_noise, epsilon_of, excess_loss, mean_utility, scan

POOL_ROLES = (Role("columns", "Columns", "", "make up a record", many=True, otherwise="rest", most=20),)


def _column(columns: list[str] | None, place: int) -> str:
    return f"column {columns[place]!r}" if columns else f"column {place}"


@private("data")
def as_pool(data: Any, by_index: bool = False, name: str = "data") -> Array:
    """Return data as a pool of shape (2n, dimension), or say what is wrong and what mends it.

    Parameters
    ----------
    data : array_like or data frame
        One record a row, numbers only; a vector is one column.
    by_index : bool
        Whether equal records count as different persons.
    name : str
        What a message calls the data.

    Notes
    -----
    PMP paper, Definition 2 and its second footnote: records must differ, since an attacker who
    is asked about one of two equal records has no answer.

    Examples
    --------
    >>> as_pool([1.0, 2.0, 4.0, 8.0]).shape
    (4, 1)
    """
    by_index = validate.switch("by_index", by_index)
    if isinstance(data, str | bytes) or data is None:
        validate.refuse(name, data, "an array or data frame with one record a row")
    columns = [str(c) for c in data.columns] if hasattr(data, "columns") else None
    try:
        raw = np.asarray(data)
    except (TypeError, ValueError):
        validate.refuse(name, data, "rows of equal length")
    if raw.ndim == 1:
        raw = raw[:, None]
    if raw.ndim != 2 or 0 in raw.shape:
        validate.refuse_as(name, f"of shape {raw.shape}", "of shape (records, columns), not empty")
    table = _numbers(name, raw, columns)
    if len(table) < 2 or len(table) % 2:
        validate.refuse_as(
            name,
            f"{len(table)} records",
            "an even number of records, at least 2: half of them are drawn; drop one at random",
        )
    if not by_index:
        _refuse_repeats(name, table)
    return table


def _numbers(name: str, raw: NDArray[Any], columns: list[str] | None) -> Array:
    """Return the cells as finite numbers; the first column that has others is named."""
    table = np.empty(raw.shape)
    for place in range(raw.shape[1]):
        try:
            cells = raw[:, place]
            if cells.dtype.kind not in "iuf":
                if any(isinstance(c, str | bool | np.bool_ | complex) for c in cells):
                    raise TypeError
                cells = cells.astype(float)
            table[:, place] = cells
        except (TypeError, ValueError, OverflowError):
            validate.refuse_as(
                name,
                _column(columns, place),
                "numbers; turn categories and switches into numbers, or drop the column",
            )
        bad = np.flatnonzero(~np.isfinite(table[:, place]))
        if bad.size:
            validate.refuse_as(
                name,
                f"{_column(columns, place)}, row {bad[0]}: {table[bad[0], place]}",
                f"finite; {bad.size} of {len(table)} cells of the column are not, so drop or fill them first",
            )
    return table


def _refuse_repeats(name: str, table: Array) -> None:
    order = np.lexsort(table.T[::-1])
    same = np.flatnonzero((table[order[1:]] == table[order[:-1]]).all(axis=1))
    if same.size:
        one, other = sorted((int(order[same[0]]), int(order[same[0] + 1])))
        validate.refuse_as(
            name,
            f"rows {one} and {other} are equal",
            "distinct records: drop repeats, or pass by_index=True to count equal rows as different persons",
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
        The PMP parameter that is certain, at most ``target``.
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
    not_promised : tuple of str
        What the certificate does not cover.
    notes : tuple of str
        What the reader should know of this very answer.
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
    not_promised: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def certainty(self) -> str:
        """How sure the certificate is: *exact* or *bound*; an estimate certifies nothing."""
        return self.certificate.kind

    def rows(self) -> list[tuple[str, str]]:
        """Return the answer as pairs of what and how much.

        Examples
        --------
        >>> from mipbook.choose import choose_epsilon
        >>> choose_epsilon([0.0, 1.0, 2.0, 4.0], 0.5, clip=4.0, delta=0.01).rows()[0][0]
        'epsilon to use'
        """
        noise = (
            [("noise, sigma", f"{at_most(self.sigma)} (rounded up)")] if self.mechanism == "gaussian" else []
        )
        return [
            ("epsilon to use", f"{at_least(self.epsilon)} (exact, rounded down)"),
            ("delta", at_most(self.delta)),
            *noise,
            ("target for eps~", f"{self.target:.6g}"),
            ("eps~, certain", f"{at_most(self.certificate.value)} ({self.certainty})"),
            ("eps~, likely", f"{at_most(self.likely.value)} ({self.likely.kind})"),
            (
                "eps(X), all others known",
                f"{at_most(self.subset_epsilon.value)} ({self.subset_epsilon.kind})",
            ),
            (
                "an attacker who knows the pool is right",
                f"at most {at_most(100 * self.success, 3)} times in 100 (bound)",
            ),
            (
                "and likely",
                f"{at_most(100 * self.likely_success.value, 3)} times in 100 ({self.likely_success.kind})",
            ),
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
NOT_PROMISED = (
    "Composition: a second release, even one that is safe alone, may together with this one "
    "reveal who was drawn.",
    "Later releases and side knowledge: the attacker is assumed to know the pool and nothing of the draw.",
    "Records outside the pool: the certificate is about these records; only epsilon-DP holds for all.",
    "The draw: half of the pool, uniformly at random, and kept secret.",
    "Groups: each record is protected alone.",
    "Another preparation: the release must clip at the same threshold.",
)
# From here on an epsilon promises nothing to speak of by itself.
_VOID = 20.0


class _Chosen(NamedTuple):
    """What a mechanism gives: its privacy, what is known of eps~, and what it costs."""

    epsilon: float
    delta: float
    sigma: float
    certificate: Estimate
    likely: Estimate
    subset: Estimate
    success: Estimate
    utility: dict[str, str]
    notes: tuple[str, ...] = ()
    # The epsilon of the DP that is proved for all data, where it is not the mechanism's own.
    proved: float | None = None


def _notes(n: int, clipped: int, short: Array) -> tuple[str, ...]:
    notes: tuple[str, ...] = ()
    if n == 1:
        notes += ("With two records PMP is DP: the attacker who knows the pool knows the rest.",)
    if clipped == len(short):
        notes += (
            "Clipping shortens every record: only directions are left.  Raise clip, or centre the "
            "columns with numbers that are no secret.",
        )
    if np.ptp(short, axis=0).max() == 0:
        notes += ("All clipped records are equal, so no mechanism can tell them apart.",)
    return notes


def _gaussian(table: Array, short: Array, target: float, clip: float, delta: float) -> _Chosen:
    n = len(table) // 2
    found = choose_noise(short, target, delta)
    # Divided last: a number near the smallest double keeps its digits until then.
    sigma = found.sigma / n
    epsilon = epsilon_of(sigma, delta, 2 * clip / n)
    utility = mean_utility(table, short, sigma)
    return _Chosen(epsilon, delta, sigma, *found[1:], utility=utility)


def _exponential(short: Array, target: float, clip: float, objects: Array, budget: float) -> _Chosen:
    n = len(short) // 2
    losses = pmp.norm_losses(short, objects)
    lengths = np.linalg.norm(objects, axis=1)
    if np.abs(lengths - 1).max() > 1e-9:
        validate.refuse("objects", objects, "of Euclidean length 1; divide each by its length")
    sensitivity = pmp.norm_sensitivity(n, clip)
    alike = float(np.ptp(objects, axis=0).max()) == 0.0
    found = scan(losses, target, sensitivity, budget, alike)
    proved = pmp.true_epsilon_bound(objects, n, found.epsilon, sensitivity)
    utility = excess_loss(losses, found.epsilon, sensitivity)
    told = f"On all data the mechanism is {at_most(proved)}-DP at most (bound), not its epsilon."
    notes = (*found.notes, told)
    return _Chosen(found.epsilon, 0.0, 0.0, *found[1:5], utility=utility, notes=notes, proved=proved)


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
    if objects is not None:
        objects = pools.populations.points("objects", objects)
    table = as_pool(data, by_index)
    if clip is None:
        validate.refuse("clip", clip, "a public bound on the length of a record")
    clip = validate.number("clip", clip, 1e-150, 1e150)
    short = pools.clip_norm(table, clip)
    if mechanism == "gaussian":
        delta = validate.number("delta", delta, 0.0, 1.0, open_low=True, open_high=True)
        found = _gaussian(table, short, target, clip, delta)
    else:
        if objects is None:
            validate.refuse("objects", objects, "the objects that the mechanism chooses from")
        found = _exponential(short, target, clip, objects, budget)
    return _report(mechanism, target, table, short, clip, found)


def _report(
    mechanism: str, target: float, table: Array, short: Array, clip: float, found: _Chosen
) -> EpsilonChoice:
    """Say what was found, with the notes that all mechanisms share."""
    n = len(table) // 2
    clipped = int((pools.populations.norms(table) > clip).sum())
    notes = _notes(n, clipped, short) + found.notes
    promised = found.epsilon if found.proved is None else found.proved
    if promised > _VOID:
        notes += (
            f"An epsilon of {promised:.3g} promises nothing by itself: outside this pool, or to "
            f"an attacker who knows the other records, the release is not private.",
        )
    return EpsilonChoice(
        mechanism=mechanism,
        epsilon=found.epsilon,
        delta=found.delta,
        sigma=found.sigma,
        target=target,
        certificate=found.certificate,
        likely=found.likely,
        subset_epsilon=found.subset,
        success=float(pmp.success_bound(found.certificate.value, found.delta)),
        likely_success=found.success,
        utility=found.utility,
        records=len(table),
        drawn=n,
        clipped=clipped,
        not_promised=NOT_PROMISED,
        notes=notes,
    )
