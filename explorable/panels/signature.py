"""A parameter declared once, in the signature: its control is its range, everywhere.

::

    @declared
    def line(slope: Annotated[float, Slider(0, 3, label="Slope")] = 1.0) -> go.Figure: ...

`Explorable` takes the control from there, a direct call is checked by it, and the table
of parameters in the function's documentation is written from it.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

from explorable import validate
from explorable.panels.controls import Control, FrameFile

__all__ = ["declared", "declared_controls"]

P = ParamSpec("P")
R = TypeVar("R")


@functools.cache
def declared_controls(function: Callable[..., Any]) -> dict[str, Control]:
    """Return the controls in a function's signature, each starting at the default.

    Examples
    --------
    >>> from typing import Annotated
    >>> from explorable.panels import Slider
    >>> def line(slope: Annotated[float, Slider(0, 3)] = 1.0): ...
    >>> declared_controls(line)["slope"].value
    1.0
    """
    found = {}
    parameters = inspect.signature(function).parameters
    plain = inspect.unwrap(function)
    hints = get_type_hints(plain, include_extras=True) if inspect.isfunction(plain) else {}
    for name, hint in hints.items():
        extras = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        for control in (extra for extra in extras if isinstance(extra, Control)):
            default = parameters[name].default
            given = default is not inspect.Parameter.empty
            found[name] = control.starting(name, default) if given else control
    return found


def declared(function: Callable[P, R]) -> Callable[P, R]:
    """Check each call by the controls in the signature, and write them into the documentation.

    Parameters
    ----------
    function : callable
        Its parameters that a reader may move are ``Annotated`` with a control.

    Examples
    --------
    >>> from typing import Annotated
    >>> from explorable.panels import Slider
    >>> @declared
    ... def line(slope: Annotated[float, Slider(0, 3)] = 1.0):
    ...     return slope
    >>> line(7)
    Traceback (most recent call last):
    ...
    ValueError: slope = 7: must be a real number in [0, 3]
    """
    validate.function("function", function, "whose parameters have controls")
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        call = signature.bind(*args, **kwargs)
        controls = declared_controls(checked)
        for name, value in call.arguments.items():
            if name in controls:
                call.arguments[name] = controls[name].accepts(name, value)
        try:
            return function(*call.args, **call.kwargs)
        except ValueError as error:
            frames = [k for k, v in call.arguments.items() if isinstance(v, FrameFile)]
            if not frames:
                raise
            # A file is on the page where its message stands; a data frame has its name only.
            raise ValueError(f"{frames[0]}: {error}") from error

    checked.__doc__ = _documented(function.__doc__ or "", declared_controls(function))
    return checked


def _documented(text: str, controls: dict[str, Control]) -> str:
    """Put the table of parameters before the first section of a docstring."""
    lines = [
        f"{name} : {type(c.value).__name__}\n    {c.label or name}: {c.range}.\n"
        for name, c in controls.items()
    ]
    table = "Parameters\n----------\n" + "".join(lines) + "\n"
    text = inspect.cleandoc(text)
    section = re.search(r"^[A-Z]\w+\n-{3,}$", text, re.MULTILINE)
    if section is None:
        return f"{text}\n\n{table}"
    if section.group().startswith("Parameters"):
        rest = text[section.end() :].lstrip("\n")
        return f"{text[: section.start()]}{table.rstrip()}\n{rest}"
    return f"{text[: section.start()]}{table}{text[section.start() :]}"
