"""The cover of the printed book and its contents, read off ``_toc.yml`` and the built pages."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

__all__ = ["Chapter", "chapters", "front"]

# What a reader of paper has no use for: what moves, what lists code, what tells of the build.
LEFT_OUT = re.compile(r"/(apps|api)/|/reference/(status|speed|how-it-is-built)$")
_H1 = re.compile(r"<h1>(.*?)(?:<a class=\"headerlink|</h1>)", re.DOTALL)
STYLE = """
@page { margin: 25mm 20mm; }
body { font: 11pt/1.5 system-ui, sans-serif; color: black; }
header { height: 240mm; display: flex; flex-direction: column; justify-content: center; }
h1 { font-size: 44pt; margin: 0 0 6mm; }
header p { font-size: 15pt; margin: 0 0 3mm; }
h2 { font-size: 20pt; break-before: page; }
h3 { font-size: 11pt; margin: 5mm 0 1mm; break-after: avoid; }
ol { list-style: none; margin: 0; padding: 0; }
li a { display: flex; gap: 2mm; color: inherit; text-decoration: none; }
li i { flex: 1; border-bottom: 1px dotted gray; margin-bottom: .35em; }
.under { padding-left: 6mm; }
"""


@dataclass
class Chapter:
    """A printed page: its name, its title, its part, and whether it stands below another."""

    name: str
    title: str
    part: str
    below: bool = False


def _title(file: Path) -> str:
    if not file.is_file():
        return ""
    found = _H1.search(file.read_text(encoding="utf-8"))
    return html.unescape(re.sub(r"<[^>]*>", "", found[1])).strip() if found else file.stem


def chapters(root: Path) -> list[Chapter]:
    """List the pages that are printed, in the order of the contents; not built, without a title."""
    contents = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    found: list[Chapter] = []

    def add(entries: Sequence[dict[str, object]], part: str, below: bool) -> None:
        for entry in entries:
            name = str(entry["file"])
            if LEFT_OUT.search(name):
                continue
            title = _title(root / "_build" / "html" / f"{name}.html")
            found.append(Chapter(name, title, part, below))
            add(entry.get("sections", []), part, True)  # type: ignore[arg-type]

    for part in contents["parts"]:
        add(part["chapters"], part["caption"], False)
    return found


def front(root: Path, numbers: Sequence[tuple[Chapter, str, int]]) -> str:
    """Return the cover and the contents: each chapter with its address and its page."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    name, _, question = config["sphinx"]["config"]["html_title"].partition(": ")
    rows, part = [], ""
    for chapter, address, number in numbers:
        if chapter.part != part:
            rows.append(f"{'</ol>' if part else ''}<h3>{html.escape(chapter.part)}</h3><ol>")
            part = chapter.part
        under = ' class="under"' if chapter.below else ""
        title = html.escape(chapter.title)
        link = f'<a href="{html.escape(address)}">{title}<i></i><span>{number}</span></a>'
        rows.append(f"<li{under}>{link}</li>")
    asked = question[:1].upper() + question[1:]
    cover = f"<h1>{name}</h1><p>{asked}</p><p>{config['author']}, {config['copyright']}</p>"
    head = f'<meta charset="utf-8"><title>{name}</title><style>{STYLE}</style>'
    return (
        f'<!DOCTYPE html><html lang="en"><head>{head}</head><body><header>{cover}</header>'
        f"<main><h2>Contents</h2>{''.join(rows)}</ol></main></body></html>"
    )
