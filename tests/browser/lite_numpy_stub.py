"""Not NumPy: what a panel calls of it whose figure is made of plain numbers; anything else is an error."""

from contextlib import nullcontext
from types import SimpleNamespace

__version__ = "2.4.6"


class generic:
    """No number of NumPy's is ever made."""


bool_ = number = integer = floating = timedelta64 = generic
float32 = float64 = int64 = uint32 = ndarray = generic
ma = SimpleNamespace(MaskedArray=generic)
random = SimpleNamespace(Generator=generic)


def finfo(kind):
    return SimpleNamespace(max=1.7976931348623157e308, tiny=2.2250738585072014e-308)


def errstate(**how):
    return nullcontext()


class _Flag(int):
    def __or__(self, other):
        return _Flag(bool(self) or bool(other))

    def any(self):
        return bool(self)


class _Single(float):
    """An array without dimensions, of one double."""

    ndim, dtype = 0, SimpleNamespace(kind="f")

    def astype(self, kind):
        return self


def asarray(value):
    """Return one number; nothing else is known here."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("this stub knows numbers alone")
    return _Single(value)


array = asarray


def isnan(value):
    return _Flag(value != value)


def argmin(values):
    return values.index(min(values))


def isscalar(value):
    return isinstance(value, int | float | str)
