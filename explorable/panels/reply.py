"""What a panel that asks is answered: a figure or why there is none, and how a file was read.

Every live face answers with it: a notebook's kernel, a server's worker, an engine in the page.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from plotly.io.json import to_json_plotly

from explorable import validate
from explorable.limits import limited
from explorable.panels.complaint import complaint
from explorable.panels.controls import UploadedFile
from explorable.progress import Listener, listening
from explorable.tables import describe_file

if TYPE_CHECKING:
    from explorable.panels.spec import Spec

__all__ = ["reply", "seldom", "sent_file"]

# Seconds between two notes of progress: more would crowd out the answers.
_NOTE_EVERY = 0.2


def seldom(tell: Listener) -> Listener:
    """Return what passes progress on to a page, a few times a second.

    Parameters
    ----------
    tell : callable
        Told what is counted, how far it is, and how far it goes.

    Examples
    --------
    >>> seldom(print)("games", 1, 2)  # too soon
    """
    last = time.monotonic()

    def listen(what: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _NOTE_EVERY:
            last = now
            tell(what, done, total)

    return listen


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
    explorable: Spec,
    values: Any,
    *,
    resolved: Callable[[Any], Any] = sent_file,
    listener: Listener | None = None,
) -> str:
    """Return the answer to a panel's request, as JSON.

    Parameters
    ----------
    explorable : Spec
        The panel.
    values : dict
        What the reader asks for, by control.
    resolved : callable
        Makes a reader's file of what stands for it in the values.
    listener : callable, optional
        Hears how far the computation is.

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
        with limited(), listening(listener) if listener else nullcontext():
            validate.instance("values", values, dict, "values by control")
            given = {name: resolved(value) for name, value in values.items()}
            file = _read(explorable, given)
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


def _read(explorable: Spec, values: dict[str, Any]) -> str:
    """Return what the page shows of the reader's file."""
    for name, value in values.items():
        if isinstance(value, UploadedFile) and name in explorable.controls:
            roles = explorable.controls[name].roles
            return f', "file": {json.dumps(describe_file(value.text, roles, value.columns))}'
    return ""
