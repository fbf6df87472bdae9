"""Count which parameters of the sources a reader can move; fail if the ledger of them is wrong.

``python tools/parameters.py`` asks the figures' signatures and needs no build;
``python tools/parameters.py FOLDER`` asks the panels of the built pages there, such as
``_build/html``.  ``--list`` prints each row with its verdict.
"""

import argparse
import json
import re
import sys
from pathlib import Path

import mipbook  # noqa: F401  which names the book
from explorable.checks import page as ledger
from explorable.checks.page import Place

sys.path.append(str(Path(__file__).parents[1] / "tests"))
# So many parameters of the sources' own figures, tables and simulations may stand still.
MOST = 8
_BUILT = re.compile(r'<section class="mb-explorable".*?class="mb-spec">(.*?)</script>', re.DOTALL)


def declared() -> dict[str, Place]:
    """Return the panels of all pages as the signatures of their figures declare them."""
    from panels import panels

    found = {}
    for page, shown in panels().items():
        for panel in shown:
            told = {name: c.for_face(live=False).describe(name) for name, c in panel.controls.items()}
            found.setdefault(panel.name, Place(page.rpartition(".")[0], told))
    return found


def built(folder: Path) -> dict[str, Place]:
    """Return the panels of built pages."""
    found = {}
    for path in sorted(folder.glob("book/**/*.html")):
        for text in _BUILT.findall(path.read_text(encoding="utf-8")):
            spec = json.loads(text)
            controls = {control["name"]: control for control in spec["controls"]}
            found.setdefault(
                spec["id"], Place(path.relative_to(folder / "book").with_suffix("").as_posix(), controls)
            )
    return found


def main() -> None:
    """Print the counts by source, and what is wrong; leave with an error if anything is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="the built pages; none to ask the signatures")
    parser.add_argument("--list", action="store_true", help="print each row with its verdict")
    given = parser.parse_args()
    panels = built(given.folder) if given.folder else declared()
    wrong = ledger.faults(panels)
    if wrong:
        sys.exit("\n".join(wrong))
    if given.list:
        for row in ledger.parameters():
            print(f"{ledger.verdict(row, panels):8} {row.result}: {row.parameter} [{row.control}] {row.why}")
    for group, told in ledger.counts(panels).items():
        print(f"{group:8}", ", ".join(f"{name} {told[name]}" for name in ledger.VERDICTS if told[name]))
    drawn = ledger.counts(panels)["drawn"]
    still = sum(drawn[name] for name in ledger.STILL)
    print(f"figures, tables and simulations, held or absent: {still} of {drawn.total()}")
    if still > MOST:
        sys.exit(f"at most {MOST} may stand still")


if __name__ == "__main__":
    main()
