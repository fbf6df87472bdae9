"""The front page and the small addresses beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tornado.web as web
from jupyter_server.auth import IdentityProvider, User
from jupyter_server.services.kernels.handlers import KernelHandler
from tornado.httputil import HTTPServerRequest, split_host_and_port
from tornado.routing import Matcher

from explorable.serve.serving.headers import Ours
from explorable.serve.web.titles import app_titles
from explorable.serve.web.words import front_page

__all__ = ["Anonymous", "Away", "Home", "Robots", "Status", "Stranger", "StrangerRefused"]


class Home(Ours):
    """The front page: one link an app."""

    def get(self) -> None:
        """List the apps."""
        titles = app_titles(Path(self.settings["apps"]))
        self.write(front_page({f"voila/render/{name}": title for name, title in titles.items()}))

    head = get


class Robots(Ours):
    """A crawler that opened the apps would take the places of readers."""

    def get(self) -> None:
        """Keep crawlers out of the apps."""
        self.set_header("Content-Type", "text/plain")
        self.write("User-agent: *\nDisallow: /voila/\n")


class Away(Ours, web.RedirectHandler):
    """A redirect with our headers."""


class Status(Ours, KernelHandler):
    """Whether a kernel runs, for the page that knows its id."""

    SUPPORTED_METHODS = ("GET",)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Say it in JSON, as a script expects."""
        KernelHandler.write_error(self, status_code, **kwargs)


class Stranger(Matcher):
    """Matches requests for a name that is not ours, as a rebound DNS entry makes them.

    Parameters
    ----------
    names : frozenset of str
        The names that are ours.
    """

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """Return a match, without arguments, for a foreign name."""
        name = split_host_and_port(request.host.lower())[0].rstrip(".")
        return None if name in self._names else {}


class StrangerRefused(Ours):
    """What a stranger is told."""

    def prepare(self) -> None:
        """Refuse before anything else looks at the request."""
        raise web.HTTPError(403)


class Anonymous(IdentityProvider):
    """Every visitor is nobody in particular: no login, no cookie."""

    def get_user(self, handler: web.RequestHandler) -> User:
        """Return the same user for all."""
        return User("visitor")

    @property
    def auth_enabled(self) -> bool:
        """Nobody logs in."""
        return False

    def get_handlers(self) -> list[Any]:
        """There are no pages to log in or out."""
        return []
