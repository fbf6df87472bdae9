"""The live face: the same panel, its figures computed by the kernel at every move."""

from __future__ import annotations

import json
import zlib
from functools import cache
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets
from ipywidgets import widget_serialization

from explorable import validate
from explorable.panels.controls import UploadedFile
from explorable.panels.reply import reply
from explorable.panels.static import PLOTLY, asset

if TYPE_CHECKING:
    from explorable.panels.explorable import Explorable


_RENDER = """
export default { render({ model, el }) { return globalThis.mipbook.live(model, el); } };
"""


class _PlotlySource(anywidget.AnyWidget):
    """Carries the plotly script to a page that asks for it, once a kernel.

    A page of our own server loads the script from there and never asks.
    """

    _esm = "export default {};"
    source = traitlets.Bytes().tag(sync=True)

    def __init__(self) -> None:
        super().__init__()
        self.on_msg(self._send_source)

    def _send_source(self, *_: Any) -> None:
        self.source = zlib.compress(PLOTLY.read_bytes(), 6)


_plotly_source = cache(_PlotlySource)


def _set(owner: traitlets.HasTraits, trait: str, value: Any) -> None:
    """Set a trait, or one entry of it, if it is another one."""
    now = getattr(owner, trait)
    if isinstance(now, dict) and isinstance(value, dict):
        value = {**now, **value}
    if now != value:
        setattr(owner, trait, value)


class Panel(anywidget.AnyWidget):
    """The widget behind a live explorable.

    Its traits are a small protocol: the page sends ``request`` (a number and the
    values by name), the kernel replies with ``answer`` (the same number and a
    figure or an error, as JSON).  A file travels once, as ``upload`` (its number, name and
    text); the values only name its number.  While a figure is computed, ``progress`` says
    how far it is.  A message ``{"again": request}`` asks for an answer that a lost connection
    may have swallowed.

    It is a widget like any other: its ``values`` can be observed, set, and linked.

    Parameters
    ----------
    explorable : Explorable
        What to show.

    Attributes
    ----------
    values : dict
        The values that the panel shows, by control.  Those that are set may be some of them.
        Set a new dictionary: a change inside the old one is seen by nobody.

    Examples
    --------
    >>> import plotly.graph_objects as go
    >>> from explorable.panels import Explorable
    >>> def line(slope, shift):
    ...     return go.Figure(go.Scatter(x=[0, 1], y=[shift, shift + slope]))
    >>> panel = Explorable(line, slope=(0, 3), shift=(0, 2)).widget()
    >>> panel.observe(lambda change: print(change["new"]), "values")
    >>> panel.values = {"slope": 3}
    {'slope': 3, 'shift': 0}
    """

    _esm = asset("explorable.js") + _RENDER
    _css = asset("explorable.css")
    values = traitlets.Dict()
    spec = traitlets.Dict().tag(sync=True)
    request = traitlets.Dict().tag(sync=True)
    upload = traitlets.Dict().tag(sync=True)
    answer = traitlets.Unicode().tag(sync=True)
    progress = traitlets.Dict().tag(sync=True)
    plotly = traitlets.Instance(_PlotlySource).tag(sync=True, **widget_serialization)

    def __init__(self, explorable: Explorable) -> None:
        self._explorable = explorable
        start = {"number": 0, "values": explorable.values}
        super().__init__(
            spec=explorable.describe(live=True),
            request=start,
            values=explorable.values,
            answer=self._reply(start),
            plotly=_plotly_source(),
        )
        self.observe(self._on_values, "values")
        self.observe(self._on_request, "request")
        self.on_msg(self._on_message)

    def link(self, name: str, other: traitlets.HasTraits, trait: str = "value") -> None:
        """Keep a control and a trait of another widget the same, whichever is moved.

        Parameters
        ----------
        name : str
            The control.
        other : traitlets.HasTraits
            A widget; of another panel its control of the same name is taken.
        trait : str
            Its trait.

        Examples
        --------
        >>> import ipywidgets
        >>> import plotly.graph_objects as go
        >>> from explorable.panels import Explorable
        >>> def line(slope):
        ...     return go.Figure(go.Scatter(x=[0, 1], y=[0, slope]))
        >>> panel, slider = Explorable(line, slope=(0, 3)).widget(), ipywidgets.IntSlider(max=3)
        >>> panel.link("slope", slider)
        >>> slider.value = 3
        >>> panel.values
        {'slope': 3}
        """
        validate.choice("name", name, tuple(self._explorable.controls))
        validate.instance("other", other, traitlets.HasTraits, "such as a slider of ipywidgets")
        if isinstance(other, Panel):
            validate.choice("name", name, tuple(other._explorable.controls))
            self.observe(lambda _: _set(other, "values", {name: self.values[name]}), "values")
            other.observe(lambda _: _set(self, "values", {name: other.values[name]}), "values")
            other.values = {name: self.values[name]}
            return
        validate.choice("trait", trait, tuple(other.trait_names()))
        self.observe(lambda _: _set(other, trait, self.values[name]), "values")
        other.observe(lambda change: _set(self, "values", {name: change["new"]}), trait)
        _set(other, trait, self.values[name])

    @traitlets.validate("values")  # type: ignore[untyped-decorator]
    def _check_values(self, proposal: dict[str, Any]) -> dict[str, Any]:
        """Fill in what was not named; refuse an unknown control, and a value that it refuses."""
        shown, values = self._asked(), {}
        for name, value in proposal["value"].items():
            validate.choice("values", name, tuple(self._explorable.controls))
            now = shown.get(name)
            # The type first: an array has no one answer to whether it is equal.
            same = type(value) is type(now) and value == now
            control = self._explorable.controls[name]
            values[name] = value if same else control.accepts(name, value)
        # A file is sent only once nothing is refused.
        return {**shown, **{name: self._numbered(value) for name, value in values.items()}}

    def _numbered(self, value: Any) -> Any:
        """Send a file as the page does, and put its number in its place."""
        if not isinstance(value, UploadedFile):
            return value
        number = self.upload.get("number", 0) + 1
        self.upload = {"number": number, "name": value.name, "text": value.text}
        columns = {role: list(names) for role, names in value.columns}
        return {"upload": number, "name": value.name, "columns": columns}

    def _asked(self) -> dict[str, Any]:
        """Return the values that the page shows; what it did not name stands at its start."""
        asked = self.request.get("values")
        return {**self._explorable.values, **(asked if isinstance(asked, dict) else {})}

    def _on_values(self, change: dict[str, Any]) -> None:
        if change["new"] != self._asked():
            number = self.request.get("number", 0) + 1
            self.request = {"number": number, "values": change["new"]}

    def _on_request(self, change: dict[str, Any]) -> None:
        self.answer = self._reply(change["new"])
        # What is no request of the page's was answered with words, and moves nothing.
        if set(self._asked()) == set(self._explorable.controls):
            self.values = self._asked()

    def _on_message(self, _widget: Any, content: Any, _buffers: Any) -> None:
        request = content.get("again") if isinstance(content, dict) else None
        if not isinstance(request, dict):
            return
        if request != self.request:
            self.request = request
        else:
            # The page never got this answer, or it would not ask.
            self.send_state("answer")

    def _resolved(self, value: Any) -> Any:
        """Put the file in the place of its number."""
        if not isinstance(value, dict):
            return value
        if value.get("upload") != self.upload.get("number"):
            validate.refuse("upload", value.get("upload"), "the number of the file sent last")
        return UploadedFile(self.upload["name"], self.upload["text"], value.get("columns", ()))

    def _reply(self, request: dict[str, Any]) -> str:
        number, values = request.get("number"), request.get("values")

        def tell(what: str, done: int, total: int) -> None:
            self.progress = {"number": number, "what": what, "done": done, "total": total}

        found = reply(self._explorable, values, resolved=self._resolved, listener=tell)
        return f'{{"number": {json.dumps(number)}, {found[1:]}'


_RENDER_ASKED = """
export default { render({ model, el }) { globalThis.mipbook.ask(el, model.get("spec")); } };
"""


class AskedWidget(anywidget.AnyWidget):
    """Shows what is asked, with the panels' own script."""

    _esm = asset("explorable.js") + _RENDER_ASKED
    _css = asset("explorable.css")
    spec = traitlets.Dict().tag(sync=True)
