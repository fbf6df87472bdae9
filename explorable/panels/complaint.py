"""What a reader is told when a figure cannot be computed: words, not a traceback."""

from __future__ import annotations

__all__ = ["complaint"]

_LONGEST = 300


def complaint(error: BaseException) -> str:
    """Return a message for the reader, at most 300 characters, without names of Python classes.

    Parameters
    ----------
    error : BaseException
        What the figure function raised.

    Returns
    -------
    str

    Examples
    --------
    >>> complaint(ValueError("n = 3: must be an even integer in [4, 8]"))
    'n = 3: must be an even integer in [4, 8]'
    >>> complaint(ZeroDivisionError("division by zero"))
    'This was not foreseen: division by zero.'
    """
    said = " ".join(str(error).split())
    if isinstance(error, KeyboardInterrupt):
        said = "The computation was cancelled."
    elif isinstance(error, MemoryError):
        said = "This needs more memory than there is; try fewer records or smaller numbers."
    elif isinstance(error, TimeoutError):
        said = said or "The computation took too long and was stopped; try fewer records."
    elif not isinstance(error, ValueError):
        said = f"This was not foreseen: {said.rstrip('.') or 'the figure failed'}."
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"
