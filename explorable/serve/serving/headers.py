"""Our headers and our error pages, on the handlers of others."""

from __future__ import annotations

from typing import Any

import tornado.web as web

from explorable.serve.web.policy import RETRY_SECONDS, common
from explorable.serve.web.words import error_page

__all__ = ["NotFound", "Ours"]


class Ours(web.RequestHandler):
    """Put before the handler classes of others: our headers, our error pages."""

    def set_default_headers(self) -> None:
        """Set what stands on every answer, also on errors."""
        for name, value in common("inline", self.settings["frame_ancestors"]).items():
            self.set_header(name, value)
        self.clear_header("Server")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Say in words what went wrong, without a traceback."""
        if status_code == 503:
            self.set_header("Retry-After", RETRY_SECONDS)
        self.set_header("Content-Type", "text/html; charset=UTF-8")
        self.finish(error_page(status_code, self.settings["base_url"]))


class NotFound(Ours):
    """Every address that nothing else answers."""

    def prepare(self) -> None:
        """Answer before anything else looks at the request."""
        raise web.HTTPError(404)
