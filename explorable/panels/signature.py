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
from typing import Any, ParamSpec, TypeVar

from explorable import validate
from explorable.checked import checked, rules_of
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
    for name, control in rules_of(function).items():
        if isinstance(control, Control):
            default = inspect.signature(function).parameters[name].default
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
    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except ValueError as error:
            given = signature.bind(*args, **kwargs).arguments
            frames = [name for name, value in given.items() if isinstance(value, FrameFile)]
            if not frames:
                raise
            # A file is on the page where its message stands; a data frame has its name only.
            raise ValueError(f"{frames[0]}: {error}") from error

    drawn.__doc__ = _documented(function.__doc__ or "", declared_controls(function))
    return checked(drawn)


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
