"""Sign that a text of the book says what its source says, and see which no longer do.

``python tools/reviewed.py`` prints every statement, and of every page the formulas (``page:``) outside of
statements, that nobody compared as they stand, and names the pages and the figures' modules whose other words
(``words:``) nobody signed as they stand: ``git diff`` shows those.
Compare it with its source, then sign it:

    python tools/reviewed.py sign mip-thm-4 --place "MIP paper, Theorem 4" --how "word by word"
    python tools/reviewed.py sign page:mip/noise --place "the page's cells" --how "each recomputed"
    python tools/reviewed.py sign 'words:*' ...  signs what is not signed of a pattern
    python tools/reviewed.py tidy    puts the rows in the order of the pages, after a merge
"""

import argparse
import sys
from fnmatch import fnmatch
from pathlib import Path

import mipbook  # noqa: F401  which names the book
from explorable.checks import boxes

BOOK = Path(__file__).resolve().parent.parent / "book"


def main() -> None:
    """Print what is not signed, and leave with an error if there is any; or sign."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["list", "sign", "tidy"], default="list")
    parser.add_argument("names", nargs="*", help="labels, page:PAGE, words:PAGE, or patterns such as pmp-*")
    parser.add_argument("--place", help="where the source says it")
    parser.add_argument("--how", help="how both were compared")
    given = parser.parse_args()
    texts = boxes.texts(BOOK)
    if given.what == "tidy":
        boxes.sign(BOOK)
        return
    once = {row.statement for row in boxes.load(BOOK) if row.digest}
    wanted = [n for n in texts if not given.names or any(fnmatch(n, p) for p in given.names)]
    signed = boxes.signed(BOOK)
    missing = [name for name in wanted if name not in signed]
    if given.what == "sign":
        chosen = [name for name in wanted if name in given.names] or missing
        if not (chosen and given.names and given.place and given.how):
            parser.error("sign NAME ... --place PLACE --how HOW; NAME must be a text, or fit one not signed")
        boxes.sign(BOOK, chosen, given.place, given.how)
        return
    for name in missing:
        told = "" if name.startswith("words:") else f"{texts[name].strip()}\n"
        print(f"== {name}: {'changed since' if name in once else 'not'} compared\n{told}")
    sys.exit(f"{len(missing)} of {len(wanted)} texts to compare with their sources" if missing else 0)


if __name__ == "__main__":
    main()
