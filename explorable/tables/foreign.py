"""Files that are no tables of text, known by how they begin, and what to do about them."""

from __future__ import annotations

import re

from explorable.tables.cells import refuse

# A browser hands over bytes that are no UTF-8 as the replacement character.
_LOST = "\ufffd"
_BEGINNINGS = (
    (r"PK[\x03\x05]", "an Excel file or another zip archive"),
    (rf"{_LOST}[\x02-\x05]", "a pickle, and reading one would run what somebody wrote into it"),
    (rf"{_LOST}{_LOST}\x11\u0871|ÐÏ\x11à", "an Excel file of the old kind"),
    (r"%PDF", "a PDF file"),
    (rf"[{_LOST}\x89]PNG", "a PNG picture"),
    (rf"[{_LOST}ÿ][{_LOST}Ø][{_LOST}ÿ].{{0,6}}(JFIF|Exif)", "a JPEG picture"),
    (r"GIF8[79]a", "a GIF picture"),
    (rf"{_LOST}{_LOST}(?s:.?\0)", "text in UTF-16"),
    (r"\{\\rtf", "a text with formats (RTF)"),
    (r"(?i:<(!doctype|\?xml|!--|(html|head|body|table|svg)\b))", "a web page or XML"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_MEND = "save it as CSV (comma separated, UTF-8) and choose that."


def refuse_foreign(text: str) -> None:
    r"""Refuse a spreadsheet, a picture, a page and whatever else is no table of text.

    Parameters
    ----------
    text : str
        A file's content, decoded by a browser, which may have lost bytes.

    Raises
    ------
    ValueError
        Naming what the file is.

    Examples
    --------
    >>> refuse_foreign("score,member\n")
    >>> refuse_foreign("%PDF-1.7")
    Traceback (most recent call last):
    ValueError: This is a PDF file; save it as CSV (comma separated, UTF-8) and choose that.
    """
    beginning = text[:1000].lstrip("\ufeff \t\r\n")
    for pattern, what in _BEGINNINGS:
        if re.match(pattern, beginning):
            refuse(f"This is {what}; {_MEND}")
    if _CONTROL.search(text):
        refuse(f"This is no text file; {_MEND}")
