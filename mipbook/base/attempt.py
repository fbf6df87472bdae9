"""Calls of functions that a reader gives: what fails is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["attempt"]


def attempt(name: str, value: Any, what: str, call: Callable[..., Any], *given: Any) -> Any:
    """Return ``call(*given)``; a failure becomes a ``ValueError`` that names the argument."""
    try:
        return call(*given)
    except Exception as error:
        shown = " ".join(repr(value).split())[:80]
        raise ValueError(
            f"{name} = {shown}: failed {what}: {type(error).__name__}: {error}"
        ) from error
