"""Every colour is written once, in `explorable/palette.py`."""

import re
import subprocess

from shared import ROOT

from explorable import palette
from explorable.panels.static import asset
from explorable.serve.apps import TEMPLATES
from explorable.serve.pages import page

PALETTE = ROOT / "explorable" / "palette.py"
THEIRS = ROOT / "explorable" / "panels" / "plotly"
COLOUR = re.compile(r"(?<![&\w/])#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b", flags=re.I)
KINDS = {".py", ".js", ".ts", ".css", ".html", ".j2", ".md", ".ipynb", ".yml"}


def test_no_colour_is_written_outside_the_palette():
    kinds = ["--cached", "--others", "--exclude-standard"]
    command = ["git", "ls-files", *kinds, "explorable", "mipbook", "book"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / line for line in done.stdout.splitlines()]
    ours = [p for p in paths if p.suffix in KINDS and p.is_file() and p != PALETTE and p.parent != THEIRS]
    assert len(ours) > 100
    found = {path: COLOUR.findall(path.read_text(encoding="utf-8")) for path in ours}
    assert not {path: colours for path, colours in found.items() if colours}


def test_every_role_that_a_style_asks_for_has_a_colour():
    styles = [asset("explorable.css"), asset("book.css"), page("", "")]
    styles.append((TEMPLATES / "index.html.j2").read_text(encoding="utf-8"))
    for style in styles:
        asked = set(re.findall(r"var\(--mb-([a-z-]+)", style))
        assert asked
        assert asked <= set(palette.TONES)
