"""Python in the reader's own browser: what the worker of a published page calls.

The worker, ``explore/js/worker/here-worker.js``, is to a page what a kernel is to a live panel.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from explorable.panels.reply import reply, seldom
from explorable.panels.signature import declared_controls
from explorable.panels.spec import Spec
from explorable.progress import Listener

__all__ = ["answer"]


class _Missing(BaseException):
    """A module that is not loaded yet; no answer to the reader, so nothing on the way takes it."""


class _Panel(Spec):
    """A figure function by its name; the page has checked what its own controls allow."""

    def __init__(self, call: str) -> None:
        module, _, name = call.partition(":")
        self.function: Callable[..., Any] = getattr(importlib.import_module(module), name)
        self.controls = declared_controls(self.function)

    def figure(self, **values: Any) -> Any:
        try:
            return self.function(**values)
        except ModuleNotFoundError as error:
            raise _Missing(error.name) from error


@cache
def _panel(call: str) -> _Panel:
    return _Panel(call)


def answer(call: str, values: str, tell: Listener, absent: str = "") -> str:
    """Return the answer to a panel's request; or which module has to be loaded before.

    Parameters
    ----------
    call : str
        The figure function, as ``module:name``.
    values : str
        What the reader asks for, by control, as JSON; a file whole in its place.
    tell : callable
        Told how far a long computation is.
    absent : str
        A module that was looked for in vain.

    Returns
    -------
    str
        JSON: what `reply` gives, or ``{"missing": module}``.

    Examples
    --------
    >>> answer("math:sqrt", '{"x": 4}', print)
    '{"error": "This was not foreseen: math.sqrt() takes no keyword arguments."}'
    >>> answer("no_such:line", "{}", print)
    '{"missing": "no_such"}'
    """
    try:
        return reply(_panel(call), json.loads(values), listener=seldom(tell))
    except (_Missing, ModuleNotFoundError) as error:
        name = str(error.args[0] if isinstance(error, _Missing) else error.name)
    if name != absent:
        return json.dumps({"missing": name})
    words = f"This needs {name}, which Python in this page does not have; a notebook may."
    return json.dumps({"error": words})
