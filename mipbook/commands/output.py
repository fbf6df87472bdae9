"""Where a command's answer goes, whole or not at all; and a promise read for both kinds of neighbours."""

from __future__ import annotations

import argparse
import datetime
import hashlib
import html
import json
import math
import os
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from explorable import validate
from mipbook.accounting.reading import DELTAS, FPRS, Reading
from mipbook.base.rounding import CERTAIN, Report, down, up

if TYPE_CHECKING:
    from explorable.panels import Explorable

_STYLE = Path(__file__).with_name("report.css")


def add_options(parser: argparse.ArgumentParser, reports: bool) -> None:
    """Add what every command that answers takes, and where to write a report."""
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--json", action="store_true", help="print the numbers for a program")
    if not reports:
        return
    told = "write a report with a live panel, which asks no network for anything"
    kind.add_argument("--html", type=Path, metavar="FILE", help=told)
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")


def check_target(path: Path | None, force: bool) -> None:
    """Refuse a place where no report may be written, before any work."""
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir():
        validate.refuse("--html", str(path), "a file in a folder that exists")
    if path.exists() and not force:
        validate.refuse("--html", str(path), "a file that does not exist yet, or --force")


def write_whole(path: Path, text: str) -> None:
    """Write a file under another name and rename it: who interrupts leaves the old one, or none."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        validate.refuse("--html", str(path), f"where a file may be written ({error.strerror})")
    finally:
        # Where nothing may be written there is nothing to remove either.
        with suppress(OSError):
            part.unlink()


def tell(
    options: Mapping[str, Any],
    report: Report,
    numbers: Mapping[str, Any],
    picture: Callable[[ModuleType], Explorable] | None = None,
    read: str = "",
) -> None:
    """Give the answer as the options ask: text, JSON, or a report in a file.

    Parameters
    ----------
    options : mapping
        With *json* and *html*, as `add_options` reads them.
    picture : callable, optional
        Returns a report's panel, made by `mipbook.commands.pictures`, which is loaded for it only.
    read : str
        What was read of a file.
    """
    if options["json"]:
        print(json.dumps(_plain(numbers), indent=1, allow_nan=False))
    elif picture is not None and options["html"] is not None:
        panel = picture(import_module("mipbook.commands.pictures"))
        write_whole(options["html"], _page(report, panel, read, _origin(options)))
        print(f"{options['html']}: {options['html'].stat().st_size / 1e6:.1f} MB")
    else:
        print(f"{read}\n\n{report}" if read else report)


# What a terminal calls the arguments of the functions behind its commands.
_OPTIONS = {"fprs": "--fpr", "path": "FILE", "X": "FILE", "fit": "FILE", "arguments": "options"}
_SIZE = re.compile(r"X = '(\d+ records?)': must be (.*)")
_UNNAMED = re.compile(r"(?:the column '(\w+)' is missing.*)?Choose which one [^.]*\.$")


def in_options(message: str, line: Sequence[str]) -> str:
    """Return an error as a terminal says it: by options, not by arguments of Python.

    Parameters
    ----------
    message : str
        What a function said.
    line : sequence of str
        The options that were given.

    Examples
    --------
    >>> in_options("fprs = 2.0: must be in [0, 1]", ["--fpr", "2"])
    '--fpr = 2.0: must be in [0, 1]'
    >>> in_options("X = '2 records': must be an even number of records, at least 4", [])
    'FILE holds 2 records; needed is an even number of records, at least 4'
    >>> in_options("the column 'score' is missing; the file names a, b. Choose which one is the score.", [])
    "the column 'score' is missing; the file names a, b. Name it: --score COLUMN."
    """
    if found := _SIZE.fullmatch(message):
        return f"FILE holds {found[1]}; needed is {found[2]}"
    name, equals, rest = message.partition(" = ")
    if equals and name.isidentifier():
        option = f"--{name.replace('_', '-')}"
        message = f"{_OPTIONS.get(name, option if option in line else name)} = {rest}"
    if found := _UNNAMED.search(message):
        named = f"Name it: --{found[1]} COLUMN." if found[1] else "Name them: --score COLUMN --member COLUMN."
        message = message[: message.rindex("Choose which one ")] + named
    return message


# The ends of a band stand on their own side.
_SIDES = {"low": down, "high": up}


def _plain(told: Any, name: str = "") -> Any:
    """Return what JSON can hold: an infinite number as a word, an estimate by its names."""
    if hasattr(told, "_asdict"):
        told = told._asdict()
    if isinstance(told, Mapping):
        return {key: _plain(value, key) for key, value in told.items()}
    if isinstance(told, list | tuple):
        return [_plain(value) for value in told]
    if not isinstance(told, float):
        return told
    told = _SIDES[name](told, CERTAIN) if name in _SIDES else told
    return told if math.isfinite(told) else str(told)


def _origin(options: Mapping[str, Any]) -> dict[str, str]:
    """Return where a report comes from: enough to make it again, and to tell that it is of this file."""
    import mipbook

    told, path = {}, options.get("file")
    if path is not None:
        told["File"] = path.name
        if path.is_file():
            told["SHA-256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    told["Date"] = datetime.date.today().isoformat()
    told["Version"] = f"mipbook {mipbook.__version__}"
    if options.get("seed") is not None:
        told["Seed"] = str(options["seed"])
    return told | {"Command": options["line"]}


def _page(report: Report, panel: Explorable, read: str, origin: Mapping[str, str]) -> str:
    from explorable.panels.static import page_html

    said = f"<p>{html.escape(read)}</p>" if read else ""
    listed = "".join(f"<dt>{name}</dt><dd>{html.escape(value)}</dd>" for name, value in origin.items())
    title = f"<h1>{html.escape(origin.get('File', panel.title))}</h1>"
    above = f'<div class="mb-report">{title}<dl>{listed}</dl>{said}{report._repr_html_()}</div>'
    return page_html(panel, above=above, style=_STYLE.read_text(encoding="utf-8"))


_WORDS = "in words"


@dataclass(frozen=True)
class BothWays(Report):
    """What a promise says of a record that is replaced, and of one that is added or removed."""

    readings: tuple[Reading, Reading]

    def rows(self) -> list[tuple[str, str]]:
        """Return what both say once, and else two columns."""
        pairs = list(zip(*(reading.rows() for reading in self.readings), strict=True))
        wide = max(len(first) for (name, first), (_, second) in pairs if first != second and name != _WORDS)
        found = []
        for (name, first), (_, second) in pairs:
            if first == second:
                found.append((name, first))
            elif name == _WORDS:
                found += [(f"{name}, replaced", first), (f"{name}, added or removed", second)]
            else:
                found.append((name, f"{first:<{wide}}  {second}"))
        return found

    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return what either is not."""
        heading, first = self.readings[0].limits()
        second = self.readings[1].limits()[1]
        asked = "a choice: if you know which neighbours your number is for, give --neighbours"
        return heading, (*dict.fromkeys([*first, *second]), asked)


def told_of(reading: Reading) -> dict[str, Any]:
    """Return a reading's numbers for a program."""
    return {
        "what": reading.what,
        "accuracy": up(float(reading.accuracy()), CERTAIN),
        "advantage": up(reading.advantage.value, CERTAIN),
        "tpr": {str(f): up(float(reading.tpr(f)), CERTAIN) for f in FPRS},
        "auc": up(reading.auc.value, CERTAIN),
        "epsilon": {str(delta): up(float(reading.epsilon(delta)), CERTAIN) for delta in DELTAS},
        "eta": up(reading.eta.value, CERTAIN),
        "security": down(1.0 - reading.mis.value, CERTAIN),
        "sentence": reading.sentence(),
        "sharp": reading.sharp,
        "neighbours": "replace" if reading.replaced else "add or remove",
    }
