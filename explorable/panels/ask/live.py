"""The live face of a guess or an answer; it asks the kernel nothing."""

from __future__ import annotations

import anywidget
import traitlets

from explorable.panels.assets import asset

__all__ = ["AskedWidget"]

_RENDER = """
export default { render({ model, el }) { globalThis.mipbook.ask(el, model.get("spec")); } };
"""


class AskedWidget(anywidget.AnyWidget):
    """Shows what is asked, with the panels' own script."""

    _esm = asset("explorable.js") + _RENDER
    _css = asset("explorable.css")
    spec = traitlets.Dict().tag(sync=True)
