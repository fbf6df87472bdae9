"""Write how wide the letters of the panels' face are: ``python tools/letter_widths.py`` (needs brotli)."""

import json
from pathlib import Path

from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

ROOT = Path(__file__).parents[1] / "explorable"
TARGET = ROOT / "panels" / "first" / "widths.json"


def widths(weight: int) -> dict[str, int]:
    """Return the width of each letter at a weight, in thousandths of its size."""
    found = {}
    for script in ("latin", "greek"):
        face = TTFont(ROOT / "fonts" / f"source-sans-3-{script}-wght-normal.woff2")
        face = instancer.instantiateVariableFont(face, {"wght": weight})
        found |= {chr(code): face["hmtx"][glyph][0] for code, glyph in face.getBestCmap().items()}
    return found


if __name__ == "__main__":
    told = {weight: widths(weight) for weight in (400, 700)}
    TARGET.write_text(json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
