"""Declare once, explore everywhere: one object, its controls and states, a static face and a live one."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorable import validate
from explorable.panels.controls import Control, declared_controls
from explorable.panels.sliders import as_control
from explorable.progress import static_face

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from explorable.panels.live import Panel


class Explorable:
    """A figure function with controls, for the static page, the notebook and the app.

    Displayed in a notebook it is a live panel that calls the function for every
    move.  While a book is built (its environment variable, such as
    ``MIPBOOK_STATIC``, is set) it is a static panel: the function has run at every combination of
    stops, and the page needs neither kernel nor network.

    Parameters
    ----------
    function : callable
        Takes the controls' values by name, returns a ``plotly`` figure.  The
        figure's ``layout.meta`` may carry ``sentence`` (the result in words) and
        ``alt`` (the text for screen readers).
    title : str, optional
        The panel's caption; made from the function's name if not given.
    name : str, optional
        The panel's id in the page and in its address: letters, digits, hyphens.
    budget : int
        The largest static panel in bytes; a larger one is refused with a
        ``ValueError`` that says how to shrink it.
    may_refuse : bool
        Whether the function may refuse some states of the static face, which then shows
        the message; if not, such a state is an error of the panel.
    command : str, optional
        A line of a terminal that computes the same; ``{name}`` stands for the value of a control.
    n_jobs : int, optional
        Processes for the static face; all cores if not given.  The states go
        through ``joblib``, so ``joblib.parallel_config`` can move them to Dask or Ray.
    **controls : Control, shorthand, or a value
        What differs here from the controls that the function declares in its signature
        (see `declared`): another control (`Slider`, `LogSlider`, `Stops`,
        `Count`, `Along`, `Choice`, `Switch`, `File`, `Rounds`, or a pair, list or boolean for one),
        or only another value at the start.  A function that declares nothing needs one for
        each parameter that a reader may move.

    Examples
    --------
    >>> import plotly.graph_objects as go
    >>> def line(slope):
    ...     return go.Figure(go.Scatter(x=[0, 1], y=[0, slope]))
    >>> panel = Explorable(line, slope=(0, 3))
    >>> panel.figure(slope=2).data[0].y
    (0, 2)
    """

    def __init__(
        self,
        function: Callable[..., go.Figure],
        *,
        title: str | None = None,
        name: str | None = None,
        budget: int = 1_500_000,
        may_refuse: bool = False,
        command: str = "",
        n_jobs: int | None = None,
        **controls: Any,
    ) -> None:
        validate.function("function", function, "that returns a plotly figure")
        for key, given in (("title", title), ("name", name)):
            if given is not None:
                validate.text(key, given)
        self.function = function
        words = getattr(function, "__name__", type(function).__name__).strip("_<>")
        self.title = title or words.replace("_", " ").capitalize()
        self.name = name or words.replace("_", "-").lower()
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", self.name):
            validate.refuse("name", self.name, "letters, digits and hyphens, a letter first")
        self.budget = validate.integer("budget", budget, 1000)
        self.may_refuse = validate.switch("may_refuse", may_refuse)
        self.n_jobs = None if n_jobs is None else validate.integer("n_jobs", n_jobs, -1)
        self.controls = declared_controls(function).copy()
        for key, own in controls.items():
            self.controls[key] = _control(key, own, self.controls.get(key))
        if not self.controls:
            validate.refuse("controls", controls, "at least one parameter of the function")
        _check_signature(function, self.controls)
        for key in re.findall(r"\{(\w+)\}", command):
            validate.choice("command", key, tuple(self.controls))
        self.command = command

    @property
    def values(self) -> dict[str, Any]:
        """The controls' values at the start."""
        return {name: control.value for name, control in self.controls.items()}

    def figure(self, **values: Any) -> go.Figure:
        """Return the figure for these values; controls not named stay at their start.

        Parameters
        ----------
        **values
            Values by control name.

        Returns
        -------
        plotly.graph_objects.Figure

        Raises
        ------
        ValueError
            For an unknown control or a value that it does not allow, and for
            whatever the function itself refuses.
        """
        for name, value in values.items():
            if name not in self.controls:
                validate.refuse(name, value, f"one of the controls {', '.join(self.controls)}")
            values[name] = self.controls[name].accepts(name, value)
        return self.function(**{**self.values, **values})

    def states(self, names: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the values of every state of the static face, or of some controls, the last one fastest."""
        controls = self.controls if names is None else {name: self.controls[name] for name in names}
        for combination in product(*(control.stops for control in controls.values())):
            yield dict(zip(controls, combination, strict=True))

    def describe(self, *, live: bool) -> dict[str, Any]:
        """Return what the page's script needs to draw the panel.

        Examples
        --------
        >>> import plotly.graph_objects as go
        >>> def line(slope):
        ...     return go.Figure(go.Scatter(x=[0, 1], y=[0, slope]))
        >>> from explorable.panels import Explorable
        >>> Explorable(line, slope=(0, 3)).describe(live=False)["title"]
        'Line'
        """
        live = validate.switch("live", live)
        from explorable.palette import DARK_TWIN

        own, controls = declared_controls(self.function), []
        for name, control in self.controls.items():
            told = control.for_face(live).describe(name)
            # What a figure says of each stop, such as the track of a handle, is of its own stops.
            if name in own and own[name].stops != control.for_face(live).stops:
                told["coarse"] = own[name].describe(name)["stops"]
            controls.append(told)
        return {
            "id": self.name,
            "title": self.title,
            "function": f"{self.function.__module__}:{self.function.__qualname__}",
            "call": _public_name(self.function),
            "face": "live" if live else "static",
            "controls": controls,
            **({"command": self.command} if self.command else {}),
            "dark": DARK_TWIN,
        }

    def html(self) -> str:
        """Return the static panel, to stand in a page that loads the panel's script.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If the panel is larger than its budget.
        """
        from explorable.panels.static import panel_html

        return panel_html(self)

    def save(self, path: str | Path) -> Path:
        """Write a page of its own: one file that works with no kernel and no network.

        Parameters
        ----------
        path : str or pathlib.Path
            Where to write; an existing file is replaced only once all is computed.

        Returns
        -------
        pathlib.Path
            The file written.

        Raises
        ------
        ValueError
            If the folder does not exist or the panel is larger than its budget.

        Examples
        --------
        >>> import plotly.graph_objects as go
        >>> from tempfile import gettempdir
        >>> def line(slope):
        ...     return go.Figure(go.Scatter(x=[0, 1], y=[0, slope]))
        >>> page = Path(gettempdir()) / "mipbook-line.html"
        >>> Explorable(line, slope=(0, 3), n_jobs=1).save(page) == page
        True
        >>> page.unlink()
        """
        from explorable.panels.static import page_html

        path = validate.path("path", path)
        if not path.parent.is_dir():
            validate.refuse("path", str(path), "a file in a folder that exists")
        path.write_text(page_html(self), encoding="utf-8")
        return path

    def widget(self) -> Panel:
        """Return the live panel, a widget for JupyterLab, Voila, Binder and Colab."""
        from explorable.panels.live import Panel

        return Panel(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if static_face():
            return {"text/html": self.html(), "text/plain": repr(self)}
        return self.widget()._repr_mimebundle_(**kwargs)

    def __repr__(self) -> str:
        values = ", ".join(f"{k}={v!r}" for k, v in self.values.items())
        return f"<Explorable {self.name}({values})>"


def _public_name(function: Callable[..., Any]) -> str:
    """Return the shortest way to import the function; nothing if there is none."""
    name = getattr(function, "__name__", "")
    parts = getattr(function, "__module__", "").split(".")
    if "<locals>" in getattr(function, "__qualname__", ""):
        return ""  # a module may know another one by its name
    for end in range(1, len(parts) + 1):
        module = sys.modules.get(".".join(parts[:end]))
        known = module is not None and module.__name__ != "__main__"
        if known and getattr(module, name, None) is function:
            return f"{'.'.join(parts[:end])}:{name}"
    return ""


def _control(name: str, own: Any, declared: Control | None) -> Control:
    """Return a panel's own control; what it leaves open is as the function declares it."""
    if declared is None:
        return as_control(name, own)
    if isinstance(own, int | float | str):
        return declared.starting(name, own)
    control = as_control(name, own).named_like(declared)
    if control.given.get("value") is None:
        with suppress(ValueError):  # the panel's own range may leave the declared start out
            return control.starting(name, declared.value).named_like(declared)
    return control


def _check_signature(function: Callable[..., Any], controls: Mapping[str, Control]) -> None:
    """Refuse a control the function does not take, and a parameter without a value."""
    parameters = inspect.signature(function).parameters.values()
    known = {p.name for p in parameters if p.kind is not p.VAR_POSITIONAL}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    for name, control in controls.items():
        if name not in known and not takes_any:
            validate.refuse(name, control.value, f"a parameter of {function!r}")
    for p in parameters:
        needs_value = p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        if needs_value and p.name not in controls:
            validate.refuse(p.name, None, f"given a control: {function!r} needs it")
