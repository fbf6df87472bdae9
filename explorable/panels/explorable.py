"""Declare once, explore everywhere: one object, a static face and a live one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorable import validate
from explorable.panels.spec import Spec
from explorable.progress import STATIC_FACE

if TYPE_CHECKING:
    from explorable.panels.live import Panel

__all__ = ["Explorable"]


class Explorable(Spec):
    """A figure function with controls, for the static page, the notebook and the app.

    Displayed in a notebook it is a live panel that calls the function for every
    move.  While the book is built (the environment variable ``MIPBOOK_STATIC``
    is set) it is a static panel: the function has run at every combination of
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
    n_jobs : int, optional
        Processes for the static face; all cores if not given.  The states go
        through ``joblib``, so ``joblib.parallel_config`` can move them to Dask or Ray.
    **controls : Control, shorthand, or a value
        What differs here from the controls that the function declares in its signature
        (see `declared`): another control (`Slider`, `LogSlider`, `Stops`,
        `Count`, `Choice`, `Switch`, `File`, `Rounds`, or a pair, list or boolean for one),
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
        from explorable.panels.static import save_page

        return save_page(self, validate.path("path", path))

    def widget(self) -> Panel:
        """Return the live panel, a widget for JupyterLab, Voila, Binder and Colab."""
        from explorable.panels.live import Panel

        return Panel(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if os.environ.get(STATIC_FACE):
            return {"text/html": self.html(), "text/plain": repr(self)}
        return self.widget()._repr_mimebundle_(**kwargs)
