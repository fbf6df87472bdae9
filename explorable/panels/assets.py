"""The script and the styles of the panels, joined from their parts."""

from __future__ import annotations

import json
import re
from collections import Counter
from graphlib import TopologicalSorter
from importlib import resources

from explorable import palette

__all__ = ["ASSETS", "asset"]

WORKER = "mipbook-here-worker.js"
ASSETS = ("explorable.js", WORKER, "explorable.css", "book.css", "fonts.css", "print.css")

# What fonts.css gives, where it is; else what the reader's system has.
SANS = '"Source Sans 3", "Like Source Sans 3", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif'
_LIKE = ", ".join(f'"Like Source Serif 4 {name}"' for name in "ABC")
SERIF = f'"Source Serif 4", {_LIKE}, Charter, Georgia, serif'

_STYLES = {
    "explorable.css": ("explorable.css", "tools.css", "ask.css"),
    "book.css": ("page.css", "boxes.css", "book.css", "cards.css", "home.css", "teach.css"),
    "fonts.css": ("fonts.css",),
    "print.css": ("print.css",),
}
_IMPORT = re.compile(r'^import [^;]* from "\./([\w-]+)\.js";\n', flags=re.MULTILINE)
# Said to who reads the parts; a third of what a reader's browser would load.
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:[^*]|\*(?!/))*\*/)\n", flags=re.MULTILINE)
_EXPORT = re.compile(r"^export ", flags=re.MULTILINE)
_NAME = re.compile(r"^(?:async )?(?:function|class|const|let) (\w+)", flags=re.MULTILINE)


def _joined(parts: dict[str, str]) -> str:
    """Join the parts into one classic script: modules do not load from a file's address."""
    # Each part stands behind those that it imports.
    needs = {name: _IMPORT.findall(text) for name, text in sorted(parts.items())}
    body = "\n".join(parts[name] for name in TopologicalSorter(needs).static_order())
    body = _EXPORT.sub("", _IMPORT.sub("", _COMMENT.sub("", body)))
    # A page may hold the script itself; such words in one of its texts would end it there.
    body = body.replace("</script", "<\\/script")
    twice = [name for name, count in Counter(_NAME.findall(body)).items() if count > 1]
    if twice:
        raise RuntimeError(f"parts of the script share the names {', '.join(twice)}")
    start = f"if (globalThis.mipbook) return;\nconst TONES = {json.dumps(palette.tones())};"
    start += f"\nconst SANS = {json.dumps(SANS)};"
    return f'(() => {{\n"use strict";\n{start}\n\n{body}}})();\n'


def asset(name: str) -> str:
    """Return one of the panel's own files, such as ``explorable.js``."""
    folder = resources.files("explorable") / "panels"
    if name == "explorable.js":
        files = [path for path in (folder / "js").iterdir() if path.name.endswith(".js")]
        parts = {path.name.removesuffix(".js"): path.read_text("utf-8") for path in files}
        return _joined(parts)
    if name == WORKER:
        # A worker is no part of a page: it stands in a file of its own.
        return (folder / "js" / "worker" / "here-worker.js").read_text("utf-8")
    text = "".join((folder / "css" / part).read_text("utf-8") for part in _STYLES[name])
    if name != "explorable.css":
        return text
    # The colours and the faces stand once, where the panels are.
    faces = f":root, :host {{ --type-sans: {SANS}; --type-serif: {SERIF}; }}\n"
    return palette.style() + palette.pictures() + faces + text
