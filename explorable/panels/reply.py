"""What a panel that asks is answered: a figure or why there is none, and how a file was read.

Every live face answers with it: a notebook's kernel, a server's worker, and Python in the reader's
own browser, where ``js/worker/here-worker.js`` is to a page what a kernel is to a live panel.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from types import FrameType
from typing import Any

from plotly.io.json import to_json_plotly

from explorable import validate
from explorable.panels.controls import UploadedFile, declared_controls
from explorable.panels.explorable import Explorable
from explorable.progress import Listener, listening
from explorable.tables import describe_file

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


# Seconds between two notes of progress: more would crowd out the answers.
_NOTE_EVERY = 0.2


def _seldom(tell: Listener) -> Listener:
    """Return what passes progress on to a page, a few times a second."""
    last = time.monotonic()

    def listen(what: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _NOTE_EVERY:
            last = now
            tell(what, done, total)

    return listen


# The server tells its workers by this environment variable how long one move may take.
SECONDS = "MIPBOOK_SECONDS"
# A timer of 0 would be none.
_SOON = 1e-3


@contextmanager
def limited(seconds: float | None = None) -> Iterator[None]:
    """Stop what takes too long.

    The clock is the wall's.  The block is interrupted between two steps of Python, so one long
    call of compiled code ends late.  Outside the main thread, and on Windows, nothing is limited.

    Parameters
    ----------
    seconds : float, optional
        The longest time, at least 0; 0 means without limit.  By default what the server's
        environment variable ``MIPBOOK_SECONDS`` says, and no limit where it says nothing.

    Raises
    ------
    TimeoutError
        Inside the block, when the time is up.

    Examples
    --------
    >>> with limited(10):
    ...     sum(range(1000))
    499500
    """
    if seconds is None:
        seconds = float(os.environ.get(SECONDS) or 0)
    seconds = validate.number("seconds", seconds, 0)
    main = threading.current_thread() is threading.main_thread()
    if seconds == 0 or not main or not hasattr(signal, "setitimer"):
        yield
        return

    start = time.monotonic()
    left, interval = signal.getitimer(signal.ITIMER_REAL)

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal left
        spent = time.monotonic() - start
        if 0 < left < seconds and callable(handler):
            # The alarm of an outer block, or of a test runner, which is due first.
            left = 0.0
            signal.setitimer(signal.ITIMER_REAL, max(seconds - spent, _SOON))
            handler(number, frame)
        else:
            raise TimeoutError(f"This took longer than the {seconds:g} seconds allowed here.")

    handler = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, min(seconds, left) if left else seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:
            spent = time.monotonic() - start
            signal.setitimer(signal.ITIMER_REAL, max(left - spent, _SOON), interval)


def sent_file(value: Any) -> Any:
    """Return the file that a request brings along, and any other value as it is.

    Parameters
    ----------
    value : object
        A control's value; a file is a dictionary of its ``name``, its ``text`` and, where they
        were chosen, its ``columns``.

    Examples
    --------
    >>> sent_file({"name": "mine.csv", "text": "1,2"}).name
    'mine.csv'
    >>> sent_file(3)
    3
    """
    if not isinstance(value, dict):
        return value
    return UploadedFile(value["name"], value["text"], value.get("columns") or ())


def reply(
    explorable: Explorable,
    values: Any,
    *,
    resolved: Callable[[Any], Any] = sent_file,
    listener: Listener | None = None,
) -> str:
    """Return the answer to a panel's request, as JSON.

    Parameters
    ----------
    explorable : Explorable
        The panel.
    values : dict
        What the reader asks for, by control.
    resolved : callable
        Makes a reader's file of what stands for it in the values.
    listener : callable, optional
        Hears how far the computation is, a few times a second.

    Returns
    -------
    str
        An object with a ``figure``, an ``error`` in words, or ``cancelled``; and with ``file``,
        what was read of a reader's file, also where no figure came of it.

    Examples
    --------
    >>> import plotly.graph_objects as go
    >>> from explorable.panels import Explorable
    >>> def line(slope):
    ...     return go.Figure(go.Scatter(x=[0, 1], y=[0, slope]))
    >>> panel = Explorable(line, slope=(0, 3))
    >>> json.loads(reply(panel, {"slope": 2}))["figure"]["data"][0]["y"]
    [0, 2]
    >>> reply(panel, {"slope": 7})
    '{"error": "slope = 7: must be an integer in [0, 3]"}'
    """
    file = ""
    try:
        with limited(), listening(_seldom(listener)) if listener else nullcontext():
            validate.instance("values", values, dict, "values by control")
            given = {name: resolved(value) for name, value in values.items()}
            for name, value in given.items():
                if isinstance(value, UploadedFile) and name in explorable.controls:
                    roles = explorable.controls[name].roles
                    file = f', "file": {json.dumps(describe_file(value.text, roles, value.columns))}'
                    break
            tree = explorable.figure(**given).to_dict()
        # The panel brings its own template, which follows the page's theme.
        tree["layout"].pop("template", None)
        content = f'"figure": {to_json_plotly(tree)}'
    except KeyboardInterrupt:
        content = '"cancelled": true'
    except Exception as error:
        # The reader sees the message in the panel and may move on.
        content = f'"error": {json.dumps(complaint(error))}'
    return f"{{{content}{file}}}"


class _Missing(BaseException):
    """A module that is not loaded yet; no answer to the reader, so nothing on the way takes it."""


class _Panel(Explorable):
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


_panel = cache(_Panel)


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
        return reply(_panel(call), json.loads(values), listener=tell)
    except (_Missing, ModuleNotFoundError) as error:
        name = str(error.args[0] if isinstance(error, _Missing) else error.name)
    if name != absent:
        return json.dumps({"missing": name})
    words = f"This needs {name}, which Python in this page does not have; a notebook may."
    return json.dumps({"error": words})
