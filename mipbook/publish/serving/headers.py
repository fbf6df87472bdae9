"""The headers that stand on every answer, and the pages of its errors."""

from __future__ import annotations

import html
from http.client import responses
from pathlib import Path
from string import Template
from typing import Any

import tornado.web as web

from mipbook.base import palette

__all__ = ["TEMPLATES", "Ours", "page", "policy"]

TEMPLATES = Path(__file__).parents[1] / "templates"

# Voila and the book's theme write scripts and styles into the page; a live panel's script comes as
# a blob (anywidget).  None compiles text (eval).
_SCRIPTS = "script-src 'self' 'unsafe-inline'"
_SCRIPTS_OF_AN_APP = f"{_SCRIPTS} blob:"
_REST = (
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
)

_WORDS = {
    403: "This is not open to visitors.",
    404: "There is no such page here.",
    500: "Something went wrong on this server. It is not your doing.",
    503: "All places are taken at the moment. This page tries again by itself.",
}
_RETRY_SECONDS = 15


def policy(app: bool, frame_ancestors: str) -> str:
    """Return the Content-Security-Policy of an app's page, or of any other.

    Parameters
    ----------
    app : bool
        Whether it is an app's page, whose scripts need more.
    frame_ancestors : str
        Who may show the page in a frame.

    Returns
    -------
    str
        The header's value.
    """
    scripts = _SCRIPTS_OF_AN_APP if app else _SCRIPTS
    return "; ".join([*_REST, scripts, f"frame-ancestors {frame_ancestors}"])


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


class Ours(web.RequestHandler):
    """Put before the handler classes of others: our headers, our error pages."""

    def set_default_headers(self) -> None:
        """Set what stands on every answer, also on errors."""
        ancestors = self.settings["frame_ancestors"]
        self.set_header("Content-Security-Policy", policy(False, ancestors))
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "same-origin")
        self.set_header("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        if ancestors == "'self'":
            # The old header cannot name another site.
            self.set_header("X-Frame-Options", "SAMEORIGIN")
        self.clear_header("Server")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Say in words what went wrong, without a traceback."""
        words = _WORDS.get(status_code, "The server does not do that.")
        head = ""
        if status_code == 503:
            self.set_header("Retry-After", _RETRY_SECONDS)
            head = f'<meta http-equiv="refresh" content="{_RETRY_SECONDS}">'
        home = self.settings["base_url"]
        title = f"{status_code} {responses.get(status_code, 'Error')}"
        self.set_header("Content-Type", "text/html; charset=UTF-8")
        self.finish(page(title, f'<p>{words}</p><p><a href="{home}">All apps</a></p>', head))


class NotFound(Ours):
    """Every address that nothing else answers."""

    def prepare(self) -> None:
        """Answer before anything else looks at the request."""
        raise web.HTTPError(404)
