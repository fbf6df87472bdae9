"""The small pages of a server of the apps: its front page, and what it says of an error."""

from __future__ import annotations

import html
from collections.abc import Mapping
from http.client import responses
from pathlib import Path
from string import Template

from explorable import palette
from explorable.serve.web.policy import RETRY_SECONDS

__all__ = ["NO_BOOK", "TEMPLATES", "error_page", "front_page", "page"]

TEMPLATES = Path(__file__).parents[2] / "templates"

_WELCOME = """<p>Each app is one question with sliders, computed live. The same figures, with their
proofs, stand in <a href="book/book/index.html">the book</a>.</p>
<ul>{links}</ul>"""
NO_BOOK = "<p>The book has not been built here yet. Run: <code>make book</code></p>"
_WORDS = {
    400: "This is no request that the server understands.",
    403: "This is not open to visitors.",
    404: "There is no such page here.",
    500: "Something went wrong on this server. It is not your doing.",
    503: "All places are taken at the moment. This page tries again by itself.",
}


def page(title: str, body: str, head: str = "") -> str:
    """Return a small page in our look.

    Parameters
    ----------
    title : str
        Its title, plain text.
    body : str
        What stands under the title, HTML.
    head : str
        More for its head, HTML.

    Returns
    -------
    str
        The HTML.
    """
    template = Template((TEMPLATES / "page.html").read_text(encoding="utf-8"))
    style = palette.style()
    return template.substitute(title=html.escape(title), body=body, head=head, style=style)


def front_page(titles: Mapping[str, str]) -> str:
    """Return the front page: one link an app.

    Parameters
    ----------
    titles : mapping
        Each app's address with its title.
    """
    links = "".join(
        f'<li><a href="{html.escape(address)}">{html.escape(title)}</a></li>'
        for address, title in titles.items()
    )
    return page("mipbook apps", _WELCOME.format(links=links))


def error_page(status: int, home: str) -> str:
    """Return what a visitor is told of an error: words, without a traceback.

    Parameters
    ----------
    status : int
        The answer's status.
    home : str
        The address of the front page.
    """
    words = _WORDS.get(status, "The server does not do that.")
    again = f'<meta http-equiv="refresh" content="{RETRY_SECONDS}">' if status == 503 else ""
    title = f"{status} {responses.get(status, 'Error')}"
    return page(title, f'<p>{words}</p><p><a href="{home}">All apps</a></p>', again)
