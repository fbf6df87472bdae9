"""Whose turn it is: short queues, and fair ones.

Who has taken least of the workers' time lately is next: an address, and of one address a page.
A page computes one figure at a time, and a newer move of a panel takes the place of its last.
The last place is for nobody who has taken more than those inside, so that a few who ask for long
computations cannot hold all.
"""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

__all__ = ["Asker", "Full", "Superseded", "Turns", "places_for_files"]

_OF_A_PAGE = 4
# Nobody waits longer: who could would have left.
_PATIENCE = 60.0
# What somebody took counts half after so many seconds, and nothing any more below the least.
_HALF_LIFE, _LEAST = 10.0, 1e-3


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
    own: bool
    called: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


def places_for_files(places: int) -> int:
    """Return how many of some places files of readers' own may take; the others are for moves.

    Examples
    --------
    >>> places_for_files(1), places_for_files(3), places_for_files(8)
    (1, 1, 4)
    """
    return max(1, places // 2)


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
        self._of_files = places_for_files(places)
        self._waiting: list[_Ticket] = []
        self._inside: list[_Ticket] = []
        # What addresses, and their pages, took lately, as of the last look.
        self._taken: dict[tuple[str, ...], float] = {}
        self._looked = time.monotonic()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    @property
    def inside(self) -> int:
        """How many compute."""
        return len(self._inside)

    @asynccontextmanager
    async def turn(self, asker: Asker, own: bool = False) -> AsyncIterator[None]:
        """Wait for one's turn.

        Parameters
        ----------
        asker : Asker
            Who waits.
        own : bool
            Whether a file of a reader's own is to be read; half of the places are for others.

        Raises
        ------
        Full
            If too many wait, or there is no place for a minute.
        Superseded
            If the same panel asks again meanwhile.
        """
        ticket = self._enter(asker, own)
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
            self._leave(ticket)

    def _enter(self, asker: Asker, own: bool) -> _Ticket:
        for old in [t for t in self._waiting if t.asker == asker]:
            self._waiting.remove(old)
            old.called.set_exception(Superseded())
        of_address = [t for t in self._waiting if t.asker.address == asker.address]
        of_page = [t for t in of_address if t.asker.page == asker.page]
        if len(of_address) >= max(1, self._most // 2) or len(of_page) >= _OF_A_PAGE:
            raise Full
        if len(self._waiting) >= self._most:
            # Who fills the queue makes room, not who comes for the first time.
            (fullest, count), *_ = Counter(t.asker.address for t in self._waiting).most_common(1)
            if count <= len(of_address) + 1:
                raise Full
            last = [t for t in self._waiting if t.asker.address == fullest][-1]
            self._waiting.remove(last)
            last.called.set_exception(Full())
        ticket = _Ticket(asker, own)
        self._waiting.append(ticket)
        self._call()
        return ticket

    def _forget(self, ticket: _Ticket) -> None:
        """Take out who waits no more, and may have been called at the same moment."""
        if ticket in self._waiting:
            self._waiting.remove(ticket)
        elif not ticket.called.cancelled() and ticket.called.exception() is None:
            self._leave(ticket)

    def _leave(self, ticket: _Ticket) -> None:
        self._look()
        self._inside.remove(ticket)
        self._call()

    def _look(self) -> None:
        """Add what was taken since the last look, and forget some of what was taken before."""
        now = time.monotonic()
        spent, self._looked = now - self._looked, now
        fades = 0.5 ** (spent / _HALF_LIFE)
        self._taken = {k: t * fades for k, t in self._taken.items() if t * fades > _LEAST}
        for asker in (ticket.asker for ticket in self._inside):
            for key in ((asker.address,), (asker.address, asker.page)):
                self._taken[key] = self._taken.get(key, 0.0) + spent

    def _call(self) -> None:
        """Call who is next, while there are places."""
        self._look()
        while len(self._inside) < self._places and (ticket := self._next()):
            self._waiting.remove(ticket)
            self._inside.append(ticket)
            ticket.called.set_result(None)

    def _next(self) -> _Ticket | None:
        inside = [ticket.asker for ticket in self._inside]
        of_address = Counter(asker.address for asker in inside)
        pages = {(asker.address, asker.page) for asker in inside}

        def taken(*key: str) -> float:
            return self._taken.get(key, 0.0)

        least = min((taken(asker.address) for asker in inside), default=0.0)
        is_last = 0 < len(inside) == self._places - 1
        files = sum(ticket.own for ticket in self._inside)

        def order(ticket: _Ticket) -> tuple[float, float]:
            address, page = ticket.asker.address, ticket.asker.page
            return of_address[address] + taken(address), taken(address, page)

        may = [
            t
            for t in self._waiting
            if of_address[t.asker.address] < self._of_an_address
            and (t.asker.address, t.asker.page) not in pages
            and not (is_last and taken(t.asker.address) > least)
            and not (t.own and files >= self._of_files)
        ]
        # Of several the first that came: min takes it.
        return min(may, key=order, default=None)
