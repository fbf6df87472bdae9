"""Argument checks that give one clear ``ValueError``.

Every message has the same three parts: the argument's name, the value that was
given, and what is allowed.  The checks run before any work starts, so that a
refused call changes nothing.
"""

import math
import os
from collections.abc import Callable, Collection, Sequence
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from explorable import private

Kind = TypeVar("Kind")
_LARGEST = 10**300
# As many doubles as fit the memory of a small machine, with a copy.
_CELLS = 10**8
# Sums of squares of this are far from the largest double.
_SQUARABLE = 1e150
# What the sum of chances may be off.
_ROUNDING = 1e-9


def refuse(name: str, value: object, allowed: str) -> NoReturn:
    """Raise the ``ValueError`` that names the argument, the value and what is allowed.

    While records are worked on that no message may hold, their shape stands for the value.
    """
    raise private.told(f"{name} = {private.shown(name, value)}: must be {allowed}")


def refuse_as(name: str, what: str, allowed: str) -> NoReturn:
    """Raise the same, with words of our own for the value, which hold no record."""
    raise private.told(f"{name} = {what!r}: must be {allowed}")


def interval(low: float, high: float, *, open_low: bool = False, open_high: bool = False) -> str:
    """Write an interval the way a reader expects it, ``(0, 0.5]``."""
    left = "(" if open_low else "["
    right = ")" if open_high else "]"
    return f"{left}{low:g}, {high:g}{right}"


def array(
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
    ndim: int | None = None,
) -> NDArray[np.float64]:
    """Return ``value`` as a float array whose entries all lie in the interval.

    NaN is always refused.  An infinite entry passes only where a closed end of
    the interval is infinite, so ``[0, inf]`` admits it and ``[0, inf)`` does not.
    """
    given = np.array(value) if type(value) is float else value
    # The usual case, at a third of the time.
    is_plain = type(given) is np.ndarray and given.dtype == np.float64 and ndim in (None, given.ndim)
    if is_plain and ((given > low) & (given < high)).all():
        return given.copy()
    allowed = f"a real number in {interval(low, high, open_low=open_low, open_high=open_high)}"
    if ndim is not None:
        allowed = f"an array with {ndim} dimension{'s' if ndim != 1 else ''}, each entry " + allowed
    raw = _raw(name, value, allowed)
    if raw.dtype.kind == "O":
        raw = _from_objects(name, raw, value, allowed)
    # Booleans, strings and complex numbers would convert silently or fail later.
    if raw.dtype.kind not in "iuf" or (ndim is not None and raw.ndim != ndim):
        refuse(name, value, allowed)
    with np.errstate(over="ignore"):  # a long double may exceed the doubles
        result = raw.astype(np.float64)
    below = result <= low if open_low else result < low
    above = result >= high if open_high else result > high
    bad = np.isnan(result) | below | above
    if bad.any():
        refuse(name, float(result[bad].flat[0]) if result.ndim else value, allowed)
    return result


def _raw(name: str, value: Any, allowed: str) -> NDArray[Any]:
    """Return ``value`` as an array of whatever it holds; ragged and masked ones are refused."""
    if hasattr(value, "toarray"):
        refuse(name, value, f"{allowed}; give a sparse one as value.toarray()")
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        refuse(name, value, f"{allowed}, with no entry masked")
    try:
        return np.asarray(value)
    except Exception:  # ragged lists, and objects whose own conversion fails
        refuse(name, value, allowed)


def _from_objects(name: str, raw: NDArray[Any], value: Any, allowed: str) -> NDArray[Any]:
    """Return floats from integers beyond 64 bits, fractions and decimals."""
    result = np.empty(raw.shape)
    for at, entry in np.ndenumerate(raw):
        if isinstance(entry, bool | np.bool_) or not isinstance(entry, Real | Decimal):
            refuse(name, value, allowed)
        try:
            result[at] = float(entry)
        except (OverflowError, ValueError):
            refuse(name, entry, f"{allowed}, and at most {np.finfo(float).max:.3g} in size")
    return result


def squarable(name: str, value: Any, ndim: int | None = None) -> NDArray[np.float64]:
    """Return ``value`` as a float array whose squares, and their sums, are finite."""
    return array(name, value, -_SQUARABLE, _SQUARABLE, ndim=ndim)


def flags(name: str, value: Any, ndim: int | None = None) -> NDArray[np.bool_]:
    """Return ``value`` as a boolean array, of that many dimensions if given."""
    shape = "" if ndim is None else f" with {ndim} dimension{'s' if ndim != 1 else ''}"
    allowed = f"a boolean array{shape}"
    raw = _raw(name, value, allowed)
    if raw.dtype != bool or (ndim is not None and raw.ndim != ndim):
        refuse_as(name, f"{raw.dtype} array of shape {raw.shape}", allowed)
    return raw


def chances(name: str, value: Any) -> NDArray[np.float64]:
    """Return ``value`` as an array of chances in [0, 1]; booleans will do."""
    raw = _raw(name, value, "chances in [0, 1], or booleans")
    return array(name, raw.astype(float) if raw.dtype == bool else raw, 0.0, 1.0)


def broadcast(names: Sequence[str], arrays: Sequence[NDArray[Any]]) -> tuple[int, ...]:
    """Return the common shape; refuse the first argument that does not fit those before it."""
    shape: tuple[int, ...] = ()
    for name, array in zip(names, arrays, strict=True):
        try:
            shape = np.broadcast_shapes(shape, array.shape)
        except ValueError:
            beside = " and ".join(names[: list(names).index(name)])
            refuse(name, array, f"of a shape that broadcasts with {shape}, that of {beside}")
    return shape


def plain(value: NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return a Python float for an array without dimensions, else the array."""
    return float(value) if value.ndim == 0 else value


def number(
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """Return ``value`` as one float in the interval; arrays with a dimension are refused."""
    if type(value) is float and low < value < high:  # the usual case, at a tenth of the time
        return value
    single = f"one real number in {interval(low, high)}, not an array"
    if _raw(name, value, single).ndim != 0:
        refuse(name, value, single)
    return float(array(name, value, low, high, open_low=open_low, open_high=open_high))


def confidence(value: Any) -> float:
    """Return ``value`` as a confidence, a number in (0, 1)."""
    return number("confidence", value, 0.0, 1.0, open_low=True, open_high=True)


def integer(
    name: str, value: Any, low: int, high: int | None = None, *, multiple_of: int = 1, bound: str = ""
) -> int:
    """Return ``value`` as an ``int`` in ``[low, high]`` that is a multiple of ``multiple_of``.

    ``bound`` names another argument that ``high`` comes from.
    """
    word = {1: "an integer", 2: "an even integer"}.get(multiple_of, f"a multiple of {multiple_of}")
    shown = f"{bound} = {high}" if bound else high
    allowed = f"{word} in [{low}, {shown}]" if high is not None else f"{word}, at least {low}"
    is_float = isinstance(value, float | np.floating) and value.is_integer()
    if not (_is_whole(value) or is_float):
        refuse(name, value, allowed)
    whole = int(value)
    if abs(whole) > _LARGEST:
        allowed += ", that a double can hold"
    if abs(whole) > _LARGEST or whole < low or (high is not None and whole > high) or whole % multiple_of:
        refuse(name, value, allowed)
    return whole


def _is_whole(value: Any) -> bool:
    # A span of time is a kind of integer to numpy, and to nobody else.
    others = bool | np.bool_ | np.timedelta64
    return isinstance(value, int | np.integer) and not isinstance(value, others)


def size(name: str, value: Any, low: int = 1, *, beside: int = 1) -> int:
    """Return a number of rows, at least ``low``, of ``beside`` numbers each, that fit memory."""
    return integer(name, value, low, max(low, _CELLS // max(1, beside)))


def rows(name: str, value: Any) -> NDArray[Any]:
    """Return ``value`` as an array of records, one a row, of whatever kind; ragged ones fail.

    A cell without a value (nan, None, not a time) is refused.
    """
    found = _raw(name, value, "an array of records, one a row, all of one shape")
    if found.ndim == 0 or isinstance(value, str | bytes | dict | set):
        refuse(name, value, "an array of records, one a row")
    return _present(name, found)


def record(name: str, value: Any) -> NDArray[Any]:
    """Return ``value`` as an array that holds one record, of whatever kind."""
    found = _raw(name, value, "one record, all there")
    if isinstance(value, dict | set):
        refuse(name, value, "one record")
    return _present(name, found)


def _present(name: str, found: NDArray[Any]) -> NDArray[Any]:
    """Return the array if no entry of it is missing."""
    objects = found.dtype.kind == "O"
    if any(map(_is_missing, found.flat)) if objects else (found != found).any():
        refuse(name, found, "records without missing values")
    numbers = np.array(found.tolist()) if objects else found
    return numbers if numbers.dtype.kind in "iuf" else found


def _is_missing(entry: Any) -> bool:
    """Tell whether an entry differs from itself, as only what is missing does."""
    try:
        return entry is None or bool(entry != entry)
    except TypeError:  # pandas' own sign for it answers neither
        return True
    except ValueError:  # an array within the array
        return False


def jobs(name: str, value: Any) -> int | None:
    """Return a number of processes: None, -1 for one a core, or 1 to 1024."""
    if value is None:
        return None
    allowed = "None, -1 for one a core, or an integer in [1, 1024]"
    if not _is_whole(value) or not (value == -1 or 1 <= value <= 1024):
        refuse(name, value, allowed)
    return int(value)


def switch(name: str, value: Any) -> bool:
    """Return ``value`` if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        refuse(name, value, "True or False")
    return bool(value)


def text(name: str, value: Any) -> str:
    """Return ``value`` if it is text."""
    if not isinstance(value, str):
        refuse(name, value, "text")
    return value


def path(name: str, value: Any) -> Path:
    """Return ``value`` as a path; bytes and open files are refused."""
    if not (isinstance(value, str) and value) and not isinstance(value, os.PathLike):
        refuse(name, value, "a path, as text or pathlib.Path")
    return Path(value)


def function(name: str, value: Any, called: str) -> Callable[..., Any]:
    """Return ``value`` if it can be called; ``called`` says with what and what it returns."""
    if not callable(value):
        refuse(name, value, f"a function {called}")
    return value  # type: ignore[no-any-return]


def instance(name: str, value: Any, kind: type[Kind], made_by: str) -> Kind:
    """Return ``value`` if it is of that kind; ``made_by`` says where a reader gets one."""
    if not isinstance(value, kind):
        refuse(name, value, f"a {kind.__name__}, {made_by}")
    return value


def sequence(name: str, value: Any, held: str) -> tuple[Any, ...]:
    """Return what ``value`` holds, one after the other; ``held`` says what that should be."""
    try:
        return tuple(value)
    except TypeError:
        refuse(name, value, f"a list of {held}")


def choice(name: str, value: Any, allowed: Collection[Any], of: str = "") -> Any:
    """Return the one of ``allowed`` that ``value`` equals; ``of`` is what these are called."""
    try:
        # A sparse matrix compares with a warning, and no choice is one.
        found = [] if hasattr(value, "toarray") else [a for a in allowed if value == a]
    except (TypeError, ValueError):
        found = []
    if not found:
        among = f"one of the {of} " if of else "one of "
        refuse(name, value, among + ", ".join(repr(a) for a in allowed))
    # What was asked for may be equal and of another type, such as an array without dimension.
    return found[0]


def probability_vector(name: str, value: Any) -> NDArray[np.float64]:
    """Return ``value`` as a non-negative vector whose sum is 1 within rounding."""
    vector = array(name, value, 0.0, 1.0 + _ROUNDING, ndim=1)
    total = float(vector.sum())
    if vector.size == 0 or abs(total - 1.0) > _ROUNDING:
        refuse(name, value, f"a probability vector (its sum is {total:g}, not 1)")
    return vector


def generator(name: str, value: Any, *, seeds: bool = True) -> np.random.Generator:
    """Return ``value`` if it is a ``numpy.random.Generator``, one of a seed, or a fresh one for None.

    Parameters
    ----------
    seeds : bool
        Whether a seed will do; not where what is drawn must stay secret, for a seed is guessed.

    Examples
    --------
    >>> generator("rng", 3).integers(9) == generator("rng", np.random.default_rng(3)).integers(9)
    np.True_
    """
    if isinstance(value, np.random.Generator):
        return value
    if value is None or (seeds and _is_whole(value) and value >= 0):
        return np.random.default_rng(value)
    or_seed = ", or a seed: an integer, at least 0" if seeds else ""
    refuse(name, value, f"a numpy.random.Generator, such as numpy.random.default_rng(){or_seed}")
