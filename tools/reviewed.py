"""Sign that a text of the book says what its source says, and see which no longer do.

``python tools/reviewed.py`` prints every statement, and every page's formulas outside of statements,
that nobody compared as it stands.  Compare it with its source, then sign it:

    python tools/reviewed.py sign mip-thm-4 --place "MIP paper, Theorem 4" --how "word by word"
    python tools/reviewed.py sign page:mip/noise --place "the page's cells" --how "each recomputed"
    python tools/reviewed.py tidy    puts the rows in the order of the pages, after a merge
"""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatch
from pathlib import Path

import mipbook  # noqa: F401  which names the book
from explorable.checks import reviewed

BOOK = Path(__file__).resolve().parent.parent / "book"


def main() -> None:
    """Print what is not signed, and leave with an error if there is any; or sign."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["list", "sign", "tidy"], default="list")
    parser.add_argument("names", nargs="*", help="labels, or page:PAGE; to list, patterns such as pmp-*")
    parser.add_argument("--place", help="where the source says it")
    parser.add_argument("--how", help="how both were compared")
    given = parser.parse_args()
    texts = reviewed.texts(BOOK)
    if given.what == "tidy":
        reviewed.sign(BOOK)
        return
    if given.what == "sign":
        unknown = set(given.names) - {*texts}
        if unknown or not (given.names and given.place and given.how):
            parser.error(f"sign NAME ... --place PLACE --how HOW; no such text: {sorted(unknown)}")
        reviewed.sign(BOOK, given.names, given.place, given.how)
        return
    once = {row.statement for row in reviewed.load(BOOK) if row.digest}
    wanted = [n for n in texts if not given.names or any(fnmatch(n, p) for p in given.names)]
    signed = reviewed.signed(BOOK)
    missing = [name for name in wanted if name not in signed]
    for name in missing:
        print(f"== {name}: {'changed since' if name in once else 'not'} compared\n{texts[name].strip()}\n")
    sys.exit(f"{len(missing)} of {len(wanted)} texts to compare with their sources" if missing else 0)


if __name__ == "__main__":
    main()
