"""The live face: the same panel, its figures computed by the kernel at every move."""

from __future__ import annotations

import json
import zlib
from functools import cache
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets
from ipywidgets import widget_serialization
from plotly.io.json import to_json_plotly

from mipbook import validate
from mipbook.explore.controls import UploadedFile
from mipbook.explore.static import asset, plotly_source

if TYPE_CHECKING:
    from mipbook.explore.explorable import Explorable

__all__ = ["Panel"]

_RENDER = """
export default { render({ model, el }) { return globalThis.mipbook.live(model, el); } };
"""


class _PlotlySource(anywidget.AnyWidget):
    """Carries the plotly script once a kernel, however many panels use it."""

    _esm = "export default {};"
    source = traitlets.Bytes().tag(sync=True)


@cache
def _plotly_source() -> _PlotlySource:
    return _PlotlySource(source=zlib.compress(plotly_source(), 6))


class Panel(anywidget.AnyWidget):
    """The widget behind a live explorable.

    Its traits are a small protocol: the page sends ``request`` (a number and the
    values by name), the kernel replies with ``answer`` (the same number and a
    figure or an error, as JSON).  A file travels once, as ``upload`` (its number, name and
    text); the values only name its number.

    Parameters
    ----------
    explorable : Explorable
        What to show.
    """

    _esm = asset("explorable.js") + _RENDER
    _css = asset("explorable.css")
    spec = traitlets.Dict().tag(sync=True)
    request = traitlets.Dict().tag(sync=True)
    upload = traitlets.Dict().tag(sync=True)
    answer = traitlets.Unicode().tag(sync=True)
    plotly = traitlets.Instance(_PlotlySource).tag(sync=True, **widget_serialization)

    def __init__(self, explorable: Explorable) -> None:
        self._explorable = explorable
        start = {"number": 0, "values": explorable.values}
        super().__init__(
            spec=explorable.describe(live=True),
            request=start,
            answer=self._reply(start),
            plotly=_plotly_source(),
        )
        self.observe(self._on_request, "request")

    @property
    def values(self) -> dict[str, Any]:
        """The values that the panel shows now."""
        return dict(self.request["values"])

    def _on_request(self, change: dict[str, Any]) -> None:
        self.answer = self._reply(change["new"])

    def _resolved(self, value: Any) -> Any:
        """Put the file in the place of its number."""
        if not isinstance(value, dict):
            return value
        if value.get("upload") != self.upload.get("number"):
            validate.refuse("upload", value.get("upload"), "the number of the file sent last")
        return UploadedFile(str(self.upload["name"]), str(self.upload["text"]))

    def _reply(self, request: dict[str, Any]) -> str:
        try:
            values = {name: self._resolved(value) for name, value in request["values"].items()}
            tree = self._explorable.figure(**values).to_dict()
            # The panel brings its own template, which follows the page's theme.
            tree["layout"].pop("template", None)
            content = f'"figure": {to_json_plotly(tree)}'
        except Exception as error:
            # The reader sees the message in the panel and may move on.
            content = f'"error": {json.dumps(f"{type(error).__name__}: {error}")}'
        return f'{{"number": {json.dumps(request["number"])}, {content}}}'
