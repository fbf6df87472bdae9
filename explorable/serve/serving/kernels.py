"""The visitors' kernels: what each may take, and when it has had its time."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from jupyter_server import CallContext
from jupyter_server._tz import utcnow
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from traitlets import Float, Integer

from explorable.limits import SECONDS, limit_memory, stand_back

if TYPE_CHECKING:
    from explorable.serve.serving.guard import Guard

__all__ = ["Kernels", "Record"]

# How much longer than a computation may take the server waits before it ends the kernel itself.
_SPARE_SECONDS = 10.0


@dataclass
class Record:
    """What is known of a kernel's page."""

    loading: bool = True
    """The page is still being made."""
    sockets: set[Guard] = field(default_factory=set)
    """The page's connections: one, or none, or a new one beside a lost one."""
    left: datetime | None = None
    """When the last connection ended; None if there never was one."""
    unanswered: list[tuple[str, int]] = field(default_factory=list)
    """The messages that the kernel has not answered yet: number and size."""


class Kernels(AsyncMappingKernelManager):
    """Voila's kernels, with limits."""

    memory = Integer(2048, config=True, help="megabytes a kernel may take")
    seconds = Float(20.0, config=True, help="seconds a computation may take, 0 for any")
    idle = Float(1800.0, config=True, help="seconds that an open page may rest")
    lost = Float(300.0, config=True, help="seconds that a page may be without connection")
    unclaimed = Float(90.0, config=True, help="seconds within which a page must have connected")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._records: dict[str, Record] = {}
        self._ending: set[asyncio.Future[None]] = set()

    def record(self, kernel_id: str) -> Record:
        """Return what is known of a kernel's page; of one that has ended, nothing."""
        return self._records.get(kernel_id, Record())

    async def start_kernel(self, **kwargs: Any) -> str:
        """Start a kernel for a visit, within limits."""
        kwargs["env"] = {**kwargs.get("env", os.environ), SECONDS: str(self.seconds)}
        kernel_id: str = await super().start_kernel(**kwargs)
        self._records[kernel_id] = Record()
        pid = getattr(self.get_kernel(kernel_id).provisioner, "pid", None)
        if pid is not None:
            limit_memory(self.memory, pid)
            stand_back(pid)
        if visit := CallContext.get(CallContext.JUPYTER_HANDLER):
            visit.kernel_id = kernel_id
        return kernel_id

    def leave(self, kernel_id: str, socket: Guard) -> None:
        """Note that a connection has ended."""
        record = self.record(kernel_id)
        record.sockets.discard(socket)
        if not record.sockets:
            record.left = utcnow()

    def remove_kernel(self, kernel_id: str) -> Any:
        """Forget a kernel that has ended, and tell its page."""
        for socket in self._records.pop(kernel_id, Record()).sockets:
            socket.end()
        return super().remove_kernel(kernel_id)

    def _handle_kernel_died(self, kernel_id: str) -> None:
        # Not only out of the map, as in the base class: its sockets and files must go too.
        self.log.warning("Kernel %s died", kernel_id)
        ending = asyncio.ensure_future(self.shutdown_kernel(kernel_id, now=True))
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    def verdict(self, kernel_id: str) -> str:
        """Say why a kernel's time is over; nothing if it is not."""
        kernel, record, now = self.get_kernel(kernel_id), self.record(kernel_id), utcnow()
        rest = (now - kernel.last_activity).total_seconds()
        if record.loading:
            return ""
        if kernel.execution_state == "busy":
            too_long = 0 < self.seconds < rest - _SPARE_SECONDS
            return "it computes for too long" if too_long else ""
        if record.sockets:
            return "its page rests" if rest > self.idle else ""
        if record.left is not None:
            away = (now - record.left).total_seconds()
            return "its page is gone" if away > self.lost else ""
        return "no page connected" if rest > self.unclaimed else ""

    async def cull_kernel_if_idle(self, kernel_id: str) -> None:
        """End a kernel whose time is over."""
        if reason := self.verdict(kernel_id):
            self.log.info("Ending kernel %s: %s", kernel_id, reason)
            busy = self.get_kernel(kernel_id).execution_state == "busy"
            await self.shutdown_kernel(kernel_id, now=busy)
