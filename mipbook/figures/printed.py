"""Pictures for print: matplotlib figures that show themselves in a notebook."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure

__all__ = ["PrintFigure"]


class PrintFigure(Figure):
    """A matplotlib figure that a notebook shows without pyplot and its global state."""

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        self.savefig(picture, format="png")
        return picture.getvalue()
