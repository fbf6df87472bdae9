"""Stop a computation that a reader no longer waits for."""

from __future__ import annotations

from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.base.handlers import APIHandler

from explorable.serve.serving.headers import Ours

__all__ = ["Cancel"]


class Cancel(Ours, APIHandler):
    """Interrupt a visitor's kernel, which answers that it was cancelled and works on."""

    def check_xsrf_cookie(self) -> None:
        """Ask for no token: see `explorable.serve.serving.visits.Farewell`."""

    async def post(self, kernel_id: str) -> None:
        """Interrupt the kernel, if it computes: at rest there is nothing to cancel."""
        if kernel_id in self.kernel_manager:
            if self.kernel_manager.get_kernel(kernel_id).execution_state == "busy":
                await ensure_async(self.kernel_manager.interrupt_kernel(kernel_id))
            self.set_status(204)
        else:
            self.set_status(404)
        self.finish()

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Say it in JSON, as a script expects."""
        APIHandler.write_error(self, status_code, **kwargs)
