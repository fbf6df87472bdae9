"""What of a chapter is to be read from its first line to its last, and how long that is."""

from __future__ import annotations

import re

__all__ = ["LONGEST", "bare_mentions", "main_text", "words"]

# Words of a main text, which then takes a quarter of an hour.
LONGEST = 3000
_FRONT = re.compile(r"\A---\n.*?^---\n", flags=re.M | re.S)
_END = re.compile(r"^## Exercises\b.*", flags=re.M | re.S)
_FENCED = re.compile(r"^(`{3,})\{code-cell\}.*?^\1$", flags=re.M | re.S)
_ASKED = re.compile(r"^```\{(exercise|solution)-start\}.*?^```\{\1-end\}\n```$", flags=re.M | re.S)
_HEAD = re.compile(r"^(:{3,})\{chapter-head\}.*?^\1$", flags=re.M | re.S)
# Fences of blocks, their options, and comments.
_FRAME = re.compile(r"^(?:[:`]{3,}.*|:[\w-]+:.*|%.*)$", flags=re.M)
_LABEL = re.compile(r"^\([\w.-]+\)=$", flags=re.M)
_FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", flags=re.S)
_CODE = re.compile(r"(?<!\})`[^`\n]+`")
_ROLE = re.compile(r"\{([\w:-]+)\}`([^`]*)`")
_LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*\)")
_WORD = re.compile(r"[^\W\d_][\w'\u2019-]*")
_MENTION = re.compile(
    r"\b(?:Theorem|Lemma|Proposition|Corollary|Definition|Example|Remark)s?\s+\d+\b"
    r"|\b(?:Lemmas|Corollaries)\s+\d+\b"
)


def main_text(source: str) -> str:
    r"""Return the prose of a page before its exercises, without code, formulas and frames.

    Parameters
    ----------
    source : str
        MyST Markdown.

    Examples
    --------
    >>> main_text("# Title\n\nSee $x$ and `f`.\n\n## Exercises\n\nCount.").split()
    ['#', 'Title', 'See', 'and', '.']
    """
    text = _END.sub("", _FRONT.sub("", source))
    for part in (_FENCED, _ASKED, _HEAD, _FRAME, _LABEL, _FORMULA, _CODE):
        text = part.sub(" ", text)
    return text


def _told(role: re.Match[str]) -> str:
    """Return the words of a role that a reader meets."""
    if role[1] == "set":
        return role[2].rpartition("|")[2]
    return role[2].partition("<")[0]


def words(source: str) -> int:
    r"""Count the words of a page's main text.

    Parameters
    ----------
    source : str
        MyST Markdown.

    Examples
    --------
    >>> words("Two words, {set}`n=3 | and three` more; [a link](x.md).\n\n## Exercises\n\nNo.")
    7
    """
    text = _LINK.sub(r"\1", _ROLE.sub(_told, main_text(source)))
    return len(_WORD.findall(text))


def bare_mentions(text: str) -> list[str]:
    """Return the statements that a text names by a number without a link, in its order.

    Parameters
    ----------
    text : str
        MyST Markdown, or the text of a page without its links.

    Examples
    --------
    >>> bare_mentions("By Theorem 4 and {prf:ref}`Lemma 3 <mip-lemma-3>`, Lemmas 5 to 7 hold.")
    ['Theorem 4', 'Lemmas 5']
    """
    text = _FENCED.sub(" ", _FRONT.sub("", text))
    for part in (_FRAME, _FORMULA, _ROLE, _LINK):
        text = part.sub(" ", text)
    return [" ".join(found.split()) for found in _MENTION.findall(text)]
