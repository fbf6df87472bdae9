"""Every colour is written once, in `explorable/palette.py`."""

import re
import subprocess
from pathlib import Path

from shared import ROOT

from explorable import palette
from explorable.panels.static import asset
from explorable.serve.apps import TEMPLATES
from explorable.serve.pages import page

PALETTE = ROOT / "explorable" / "palette.py"
THEIRS = ROOT / "explorable" / "panels" / "plotly"
COLOUR = re.compile(r"(?<![&\w/])#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b", flags=re.I)
KINDS = {".py", ".js", ".ts", ".css", ".html", ".j2", ".md", ".ipynb", ".yml"}


def sources() -> list[Path]:
    kinds = ["--cached", "--others", "--exclude-standard"]
    command = ["git", "ls-files", *kinds, "explorable", "mipbook", "book"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / line for line in done.stdout.splitlines()]
    ours = [p for p in paths if p != PALETTE and p.parent != THEIRS]
    return [p for p in ours if p.suffix in KINDS and p.is_file()]


def test_no_colour_is_written_outside_the_palette():
    found = {
        str(path.relative_to(ROOT)): COLOUR.findall(path.read_text(encoding="utf-8")) for path in sources()
    }
    assert len(found) > 100
    assert not {path: colours for path, colours in found.items() if colours}


def test_every_role_that_a_style_asks_for_has_a_colour():
    styles = [asset("explorable.css"), asset("book.css"), page("", "")]
    styles.append((TEMPLATES / "index.html.j2").read_text(encoding="utf-8"))
    for style in styles:
        asked = set(re.findall(r"var\(--mb-([a-z-]+)", style))
        assert asked
        assert asked <= set(palette.TONES)
