"""Whose turn it is: short queues, and fair ones.

Addresses take turns, and so do the pages of one address, so that who asks for much waits longest.
A page computes one figure at a time, and a newer move of a panel takes the place of its last.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

__all__ = ["Asker", "Full", "Superseded", "Turns"]

_OF_A_PAGE = 4
# Nobody waits longer: who could would have left.
_PATIENCE = 60.0


class Full(Exception):
    """There is no room in the queue."""


class Superseded(Exception):
    """A newer move of the same panel came."""


@dataclass(frozen=True)
class Asker:
    """Who asks: an address, one of its pages, one of the page's panels."""

    address: str
    page: str
    panel: str

    @staticmethod
    def network(address: str) -> str:
        """Return what one visitor holds: an address, or of the newer kind a whole network.

        Examples
        --------
        >>> Asker.network("2001:db8::1:2:3:4"), Asker.network("192.0.2.7")
        ('2001:db8::/64', '192.0.2.7')
        """
        try:
            known = ipaddress.ip_address(address)
        except ValueError:
            return ""
        if known.version == 4:
            return address
        return str(ipaddress.ip_network((int(known) >> 64 << 64, 64)))


@dataclass
class _Ticket:
    asker: Asker
    called: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Turns:
    """A queue before a few places.

    Parameters
    ----------
    places : int
        How many compute at once.
    most : int
        How many wait, at most; half of them of one address.
    """

    def __init__(self, places: int, most: int) -> None:
        self._places, self._most = places, most
        # While an address has all places but one, the last is for others.
        self._of_an_address = max(1, places - 1)
        self._waiting: list[_Ticket] = []
        self._inside: list[Asker] = []
        # When an address, or one of its pages, had its last turn; forgotten when nobody is here.
        self._last: dict[tuple[str, ...], int] = {}

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    @property
    def inside(self) -> int:
        """How many compute."""
        return len(self._inside)

    @asynccontextmanager
    async def turn(self, asker: Asker) -> AsyncIterator[None]:
        """Wait for one's turn.

        Raises
        ------
        Full
            If too many wait, or there is no place for a minute.
        Superseded
            If the same panel asks again meanwhile.
        """
        ticket = self._enter(asker)
        try:
            async with asyncio.timeout(_PATIENCE):
                await ticket.called
        except BaseException as error:
            self._forget(ticket)
            if isinstance(error, TimeoutError):
                raise Full from None
            raise
        try:
            yield
        finally:
            self._leave(asker)

    def _enter(self, asker: Asker) -> _Ticket:
        for old in [t for t in self._waiting if t.asker == asker]:
            self._waiting.remove(old)
            old.called.set_exception(Superseded())
        of_address = [t for t in self._waiting if t.asker.address == asker.address]
        of_page = [t for t in of_address if t.asker.page == asker.page]
        limits = [(self._waiting, self._most), (of_address, max(1, self._most // 2))]
        if any(len(queue) >= most for queue, most in [*limits, (of_page, _OF_A_PAGE)]):
            raise Full
        ticket = _Ticket(asker)
        self._waiting.append(ticket)
        self._call()
        return ticket

    def _forget(self, ticket: _Ticket) -> None:
        """Take out who waits no more, and may have been called at the same moment."""
        if ticket in self._waiting:
            self._waiting.remove(ticket)
        elif not ticket.called.cancelled() and ticket.called.exception() is None:
            self._leave(ticket.asker)

    def _leave(self, asker: Asker) -> None:
        self._inside.remove(asker)
        self._call()

    def _call(self) -> None:
        """Call who is next, while there are places."""
        while len(self._inside) < self._places and (ticket := self._next()):
            self._waiting.remove(ticket)
            self._inside.append(ticket.asker)
            asker = ticket.asker
            turn = max(self._last.values(), default=0) + 1
            self._last |= {(asker.address,): turn, (asker.address, asker.page): turn}
            ticket.called.set_result(None)
        if not self._waiting and not self._inside:
            self._last.clear()

    def _next(self) -> _Ticket | None:
        of_address = Counter(asker.address for asker in self._inside)
        pages = {(asker.address, asker.page) for asker in self._inside}

        def order(ticket: _Ticket) -> tuple[int, int, int]:
            address, page = ticket.asker.address, ticket.asker.page
            last = self._last.get
            return of_address[address], last((address,), 0), last((address, page), 0)

        may = [
            t
            for t in self._waiting
            if of_address[t.asker.address] < self._of_an_address
            and (t.asker.address, t.asker.page) not in pages
        ]
        # Of several the first that came: min takes it.
        return min(may, key=order, default=None)
