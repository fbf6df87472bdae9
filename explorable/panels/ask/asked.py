"""What guesses and answers share: a name, a truth with its tag, and two faces."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

from explorable import validate
from explorable.progress import STATIC_FACE

__all__ = ["LARGE", "Asked", "names", "options"]

# No number of a page is larger.
LARGE = 1e300
_KINDS = ("exact", "bound", "estimate", "approximation", "")
# Only these say how far off they may be.
_WITH_MARGIN = ("estimate", "approximation")


class Asked:
    """Something that a page asks; use `Guess`, `DrawnGuess` or `Answer`."""

    def __init__(self, name: str, label: str, *, kind: str, margin: str, because: str) -> None:
        for key, given in (("name", name), ("label", label), ("because", because)):
            validate.text(key, given)
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name):
            validate.refuse("name", name, "letters, digits and hyphens, a letter first")
        self.name, self.label, self.because = name, label, because
        self.kind = validate.choice("kind", kind, _KINDS)
        self.margin = validate.text("margin", margin)
        if (self.kind in _WITH_MARGIN) != bool(margin):
            allowed = "given for an estimate or an approximation, such as '± 0.02', and no other"
            validate.refuse("margin", margin, allowed)

    @property
    def tag(self) -> str:
        """What kind of number the truth is, as the page says it."""
        return f"{self.kind}, {self.margin}" if self.margin else str(self.kind)

    def describe(self) -> dict[str, Any]:
        """Return what the page's script needs."""
        told = {"name": self.name, "label": self.label, "tag": self.tag}
        return {**told, "because": self.because}

    def html(self) -> str:
        """Return what stands in a page that loads the panels' script."""
        spec = self.describe()
        text = json.dumps(spec, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
        return (
            f'<section class="mb-asked" id="{self.name}" data-asked="{spec["role"]}" '
            f'aria-label="{html.escape(self.label)}">'
            f'<script type="application/json" class="mb-spec">{text}</script></section>'
        )

    def widget(self) -> Any:
        """Return the same for JupyterLab, Voila, Binder and Colab."""
        from explorable.panels.ask.live import AskedWidget

        return AskedWidget(spec=self.describe())

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if os.environ.get(STATIC_FACE):
            return {"text/html": self.html(), "text/plain": repr(self)}
        return self.widget()._repr_mimebundle_(**kwargs)

    def __repr__(self) -> str:
        # The truth is not told.
        return f"<{type(self).__name__} {self.name}>"


def options(choices: Iterable[str]) -> tuple[str, ...]:
    """Return two or more different texts to choose from."""
    found = validate.sequence("choices", choices, "texts")
    texts = all(isinstance(text, str) and text for text in found)
    if isinstance(choices, str) or not texts or not 2 <= len(set(found)) == len(found):
        validate.refuse("choices", choices, "two or more different texts")
    return found


def names(panels: str | Sequence[str]) -> list[str]:
    """Return the names of panels, of one or of several."""
    found = [panels] if isinstance(panels, str) else [*validate.sequence("panels", panels, "names")]
    for name in found:
        validate.text("panels", name)
    return found
