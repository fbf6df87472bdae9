"""What a move may say: types made from a panel's own controls, which msgspec reads JSON by.

What does not fit is refused while it is read, before anything is made of it: an unknown control,
a list where a number stands, a text longer than any option.  Whether a number is in its range is
the control's own answer, so that no limit is written twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from explorable.panels.controls import Control, File
from explorable.panels.reply import sent_file

__all__ = ["Moves", "Refused"]

# Beside a file a move holds a few numbers and names.
_ROOM = 16_384
_LONGEST_NAME = 500
_Name = Annotated[str, msgspec.Meta(max_length=_LONGEST_NAME)]


class Refused(Exception):
    """A move that its panel does not know; the text says why, in words for a reader."""

    def __init__(self, words: str) -> None:
        super().__init__(words[:300])


def _file_type(control: Control) -> Any:
    """Return what a file of the reader's own is sent as."""
    columns: Any = Annotated[dict[_Name, Any], msgspec.Meta(max_length=0)]
    if control.roles:
        names: Any = Literal[tuple(role.name for role in control.roles)]
        columns = dict.__class_getitem__((names, _Name | list[_Name]))
    return msgspec.defstruct(
        "File",
        [("name", _Name), ("text", str), ("columns", columns, msgspec.field(default_factory=dict))],
        forbid_unknown_fields=True,
    )


def _type(control: Control) -> Any:
    """Return the type of a control's values: those of its stops, texts no longer than theirs."""
    if control.low is not None:
        return int | float
    found: Any = None
    for kind in {type(stop) for stop in control.stops}:
        one: Any = int | float
        if issubclass(kind, str):
            longest = max(len(stop) for stop in control.stops if isinstance(stop, str))
            one = Annotated[str, msgspec.Meta(max_length=longest)]
        elif issubclass(kind, bool):
            one = bool
        found = one if found is None else found | one
    return found | _file_type(control) if isinstance(control, File) else found


class Moves:
    """The moves of one panel.

    Parameters
    ----------
    controls : mapping
        The panel's controls, by name.

    Attributes
    ----------
    longest : int
        How many bytes the longest move takes: in the worst case every second character of a
        file has to be written with a backslash.

    Examples
    --------
    >>> from explorable.panels import Choice, Slider
    >>> moves = Moves({"n": Slider(0, 9), "kind": Choice(["a", "b"])})
    >>> moves.read(b'{"n": 3}')
    {'n': 3.0, 'kind': 'a'}
    >>> moves.read(b'{"n": 30}')
    Traceback (most recent call last):
    ...
    explorable.serve.service.moves.Refused: n = 30: must be a real number in [0, 9]
    """

    def __init__(self, controls: Mapping[str, Control]) -> None:
        self._controls = dict(controls)
        fields = [(n, _type(c) | msgspec.UnsetType, msgspec.UNSET) for n, c in controls.items()]
        known = msgspec.defstruct("Move", fields, forbid_unknown_fields=True)
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(known)
        self.longest = _ROOM + sum(2 * (control.limit or 0) for control in controls.values())

    def read(self, body: bytes | bytearray) -> dict[str, Any]:
        """Return the values of all controls, those that are not named at their start.

        Parameters
        ----------
        body : bytes or bytearray
            What a page sent: a JSON object of values by control.

        Returns
        -------
        dict
            Numbers, texts and truths; a file is a dictionary of its name, text and columns.

        Raises
        ------
        Refused
            If it is no JSON, names what the panel has not, or asks for what a control forbids.
        """
        try:
            given = self._decoder.decode(body)
        except msgspec.ValidationError as error:
            raise Refused(f"This panel does not know what was asked: {error}") from None
        except (msgspec.DecodeError, ValueError):
            raise Refused("What was asked is no JSON.") from None
        values = {}
        for name, control in self._controls.items():
            value = getattr(given, name)
            if value is msgspec.UNSET:
                values[name] = control.value
                continue
            value = msgspec.to_builtins(value)
            try:
                accepted = control.accepts(name, sent_file(value))
            except ValueError as error:
                raise Refused(str(error)) from None
            values[name] = value if isinstance(value, dict) else accepted
        # Plain values alone: a process gets them, and a key is made of them.
        return {n: v.item() if hasattr(v, "item") else v for n, v in values.items()}
