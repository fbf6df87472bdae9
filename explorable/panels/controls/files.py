"""A file of the reader's own, and examples for who has none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from explorable import validate
from explorable.panels.controls.control import Control
from explorable.tables import Role
from explorable.tables.load import frame_text, is_frame
from explorable.tables.roles import Columns, as_columns, as_roles

__all__ = ["File", "FrameFile", "UploadedFile"]

# Of a file that is no text four letters stand for three bytes.
_BINARY = ("data:", 4 / 3)


@dataclass(frozen=True)
class UploadedFile:
    """A file that a reader chose, and the columns that were chosen in it.

    Attributes
    ----------
    name : str
        The file's name.
    text : str
        Its content.
    columns : tuple of (str, tuple of str)
        For each role the names of its columns; a mapping is taken and made hashable.  What
        is not chosen is left to the figure, which takes the obvious or asks.
    """

    name: str
    text: str
    columns: Columns = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", as_columns(self.columns))


class FrameFile(UploadedFile):
    """The text of a data frame, which came over no connection that its size would break."""


class File(Control):
    """A file of the reader's own where there is a kernel, and examples everywhere.

    The figure function gets the example's name, a string, or an `UploadedFile`.  Who calls it
    from Python may give a data frame, or a mapping of columns, in its place.  The published
    page offers the examples only, unless it may load Python to read a file in the page.

    Parameters
    ----------
    examples : iterable of str
        Names of at least two examples that the figure function knows.
    value : str, optional
        The example at the start; the first if not given.
    roles : iterable of Role
        What the figure needs columns for; the page lets the reader choose them by name.
    label : str, optional
        Shown beside the control.
    limit : int
        The largest file in bytes, at most 8,000,000: a larger one would break the
        connection to the kernel.

    Examples
    --------
    >>> from explorable.panels import File
    >>> File(["a strong attack", "a weak attack"]).value
    'a strong attack'
    """

    def __init__(
        self,
        examples: Iterable[str],
        value: str | None = None,
        *,
        roles: Iterable[Role] = (),
        label: str | None = None,
        limit: int = 4_000_000,
    ) -> None:
        names = validate.sequence("examples", examples, "at least two different names")
        words = all(isinstance(name, str) and name for name in names)
        if not words or len(set(names)) < max(2, len(names)):
            validate.refuse("examples", list(names), "at least two different names")
        start = names[0] if value is None else validate.choice("value", value, names)
        roles = as_roles(roles)
        super().__init__(
            kind="file",
            stops=names,
            labels=names,
            start=names.index(start),
            label=label,
            limit=validate.integer("limit", limit, 1, 8_000_000),
            roles=roles,
            given={"examples": names, "value": value, "roles": roles, "label": label, "limit": limit},
        )

    @property
    def range(self) -> str:
        """What a reader may choose, in words."""
        return f"{super().range}, a data frame, or an UploadedFile"

    def accepts(self, name: str, value: Any) -> Any:
        """Return an example's name or a file that fits, its name made fit to be shown.

        A data frame becomes a file with the same columns.

        Examples
        --------
        >>> File(["one", "two"]).accepts("file", UploadedFile("mine.csv", "1,2")).name
        'mine.csv'
        >>> File(["one", "two"]).accepts("file", {"score": [0.5, 1.5]}).name
        'data frame'
        """
        if is_frame(value):
            return FrameFile("data frame", frame_text(value, name))
        if isinstance(value, FrameFile):
            return value
        if not isinstance(value, UploadedFile):
            return super().accepts(name, value)
        if not isinstance(value.text, str) or not isinstance(value.name, str):
            raise ValueError(f"{name}: a file's name and content must be text")
        limit = self.limit or 0
        if value.text.startswith(_BINARY[0]):
            limit = int(limit * _BINARY[1]) + 100
        # No character takes less than a byte, so a long text need not be encoded first.
        if len(value.text) > limit or len(value.text.encode("utf-8", "surrogatepass")) > limit:
            raise ValueError(f"{name}: the file is larger than the {self.limit:,} bytes that are read")
        return replace(value, name=_fit_to_show(value.name))

    def describe(self, name: str) -> dict[str, Any]:
        """Return what the page's script needs to draw the control.

        Examples
        --------
        >>> File(["one", "two"]).describe("file")["stops"]
        ['one', 'two']
        """
        keys = ("name", "label", "many", "optional")
        roles = [{key: getattr(role, key) for key in keys} for role in self.roles]
        return {**super().describe(name), "roles": roles}


def _fit_to_show(name: str) -> str:
    return "".join(c if c.isprintable() else " " for c in name[:120]).strip() or "file"
