"""What the page of an app without a kernel holds, read without a browser."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass

from explorable.panels.static import PLOTLY

_PANEL = re.compile(r'<script type="application/json" class="mb-spec">(.*?)</script>', re.DOTALL)
_FILE = re.compile(r'(?:src|href)="\.\.(/static/[^"]+)"')


@dataclass(frozen=True)
class Page:
    """The panels of an app's page, and the files that it loads."""

    panels: dict[str, dict]
    files: tuple[str, ...]


def specs_of(body: bytes) -> Page:
    """Take a page apart; it may be compressed."""
    text = (gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body).decode()
    specs = [json.loads(found) for found in _PANEL.findall(text)]
    files = _FILE.findall(text)
    # The script itself loads the plotting script beside it.
    script = next(name for name in files if name.endswith("/explorable.js"))
    plotly = script.replace("explorable.js", f"vendor/{PLOTLY.name}")
    return Page({spec["id"]: spec for spec in specs}, (*files, plotly))
