"""What tests of several folders use: the project, its pins, stored references, figures read, refusals."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from explorable import settings

# Tests of the engine are about this book, also where they load nothing of it.
settings.use("mipbook.book")
ROOT = Path(__file__).resolve().parents[1]


def tracked() -> list[Path]:
    """Return the files of the repository, and those that are new."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    lines = subprocess.check_output(listing, cwd=ROOT, text=True).splitlines()
    return [ROOT / line for line in lines if (ROOT / line).is_file()]


def reference(name: str) -> Any:
    """Return the stored values of ``tests/data/<name>_reference.json``."""
    path = ROOT / "tests" / "data" / f"{name}_reference.json"
    return json.loads(path.read_text(encoding="utf-8"))


def pins(name: str) -> dict[str, Requirement]:
    """Return what a list of the project asks for, by name; a line that is no requirement is an error."""
    lines = (line.partition("#")[0] for line in (ROOT / name).read_text(encoding="utf-8").splitlines())
    found = [Requirement(line.rstrip(" \\")) for line in lines if line.strip() and line.lstrip()[0] != "-"]
    return {canonicalize_name(each.name): each for each in found}


def refused(message: str, function: Callable[..., Any], /, *given: Any, **more: Any) -> None:
    """Check that a call raises a ``ValueError`` in which the regular expression is found."""
    __tracebackhide__ = True
    with pytest.raises(ValueError, match=message):
        function(*given, **more)


def ran(*words: object, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run Python with these words; return how it ended and what it said."""
    settings: dict[str, Any] = {"capture_output": True, "text": True, "check": False} | more
    return subprocess.run([sys.executable, *map(str, words)], **settings)


def free_port() -> int:
    """Return a port of this machine on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def named(figure: go.Figure, start: str) -> Any:
    """Return the trace of that name, or else the one whose name starts so."""
    called = [trace for trace in figure.data if trace.name == start]
    found = called or [trace for trace in figure.data if (trace.name or "").startswith(start)]
    assert len(found) == 1, f"{len(found)} traces start with {start!r}, not one"
    return found[0]


def sentence(figure: go.Figure) -> str:
    """Return what a figure says in words."""
    return figure.layout.meta["sentence"]
