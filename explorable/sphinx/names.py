"""How a command line names pages of the book: by the end of their name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from explorable import validate

__all__ = ["by_end"]


def by_end(asked: Sequence[str], pages: Sequence[str], argument: str, kind: str) -> list[str]:
    """Return the pages that are asked for, each once, in the order of asking.

    Parameters
    ----------
    asked : sequence of str
        Names or the ends of names, with an ending of a file or without.
    pages : sequence of str
        All names.
    argument, kind : str
        What a refusal calls the name, and what it should have been.

    Raises
    ------
    ValueError
        If a name does not fit one page.

    Examples
    --------
    >>> by_end(["noise.md"], ["book/mip/noise", "book/index"], "page", "page of the book")
    ['book/mip/noise']
    """
    found = []
    for name in asked:
        bare = re.sub(r"\.(md|ipynb|rst)$", "", name).strip("/")
        fits = [page for page in pages if f"/{page}".endswith(f"/{bare}")]
        if len(fits) != 1:
            validate.refuse(argument, name, f"one {kind}: {', '.join(fits or pages)}")
        found += fits
    return list(dict.fromkeys(found))
