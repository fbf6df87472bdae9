"""Whose turn it is, and what is answered: short queues, fair ones, and nothing computed twice.

Who has taken least of the workers' time lately is next: an address, and of one address a page.
A page computes one figure at a time, and a newer move of a panel takes the place of its last.
The last place is for nobody who has taken more than those inside, so that a few who ask for long
computations cannot hold all.  Answers without anything of a reader's own are kept, up to a number
of bytes, and computed once for all who wait for the same.
"""

import asyncio
import hashlib
import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import msgspec

_OF_A_PAGE = 4
# Nobody waits longer: who could would have left.
_PATIENCE = 60.0
# What somebody took counts half after so many seconds, and nothing any more below the least.
_HALF_LIFE, _LEAST = 10.0, 1e-3
# What is abandoned runs on for so long: a drag abandons one short computation after another, and
# to end a worker for each would cost more.
_GRACE = 1.0
# What an entry that is kept takes beside its key and its answer.
_OVERHEAD = 300


class Full(Exception):
    """There is no room in the queue."""


class Superseded(Exception):
    """A newer move of the same panel came."""


class Ended(Exception):
    """A computation that was ended; the text says why, in words for a reader."""


class Answer(NamedTuple):
    """What a panel is answered, compressed, and whether it is a figure: else it says why not."""

    is_figure: bool
    packed: bytes


class Computes(Protocol):
    """What computes answers: a `Pool`."""

    async def compute(self, app: str, panel: str, values: dict[str, Any], own: bool) -> Answer:
        """Return a panel's answer."""


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
        self._drop()
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

    def _drop(self) -> None:
        """Take out those who have left, and whose own tasks have not yet come to say so."""
        self._waiting = [ticket for ticket in self._waiting if not ticket.called.done()]

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
        self._drop()
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


class Kept:
    """The answers that were asked for last, up to a number of bytes.

    Parameters
    ----------
    most : int
        The bytes of keys and answers together, with what Python needs to hold them.

    Examples
    --------
    >>> kept = Kept(1000)
    >>> for name in (b"a", b"b", b"c", b"d"):
    ...     kept.put(name, b"12345")
    >>> kept.get(b"a"), kept.get(b"d"), len(kept), kept.size
    (None, b'12345', 3, 918)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[bytes, bytes] = OrderedDict()
        self.size = 0
        """How many bytes are kept."""

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, key: bytes) -> bytes | None:
        """Return an answer, if it is there."""
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    def put(self, key: bytes, answer: bytes) -> None:
        """Keep an answer; those that nobody asked for longest go."""
        if key in self._answers:
            self.size -= _bytes(key, self._answers.pop(key))
        self._answers[key] = answer
        self.size += _bytes(key, answer)
        while self.size > self._most:
            self.size -= _bytes(*self._answers.popitem(last=False))


def _bytes(key: bytes, answer: bytes) -> int:
    return len(key) + len(answer) + _OVERHEAD


@dataclass(eq=False)
class _Flight:
    """A computation under way, who began it, and how many wait for it."""

    asker: Asker
    waiting: int = 0
    began: float | None = None
    work: asyncio.Task[Answer] = field(init=False)

    async def wait(self) -> Answer:
        """Wait for the answer; a computation that nobody waits for any more is ended."""
        self.waiting += 1
        try:
            return await asyncio.shield(self.work)
        finally:
            self.waiting -= 1
            if not self.waiting and not self.work.done():
                spent = _GRACE if self.began is None else time.monotonic() - self.began
                asyncio.get_running_loop().call_later(max(0.0, _GRACE - spent), self._end)

    def _end(self) -> None:
        if not self.waiting:
            self.work.cancel()


class Answers:
    """Answers to panels' requests.

    Parameters
    ----------
    pool : Computes
        What computes them.
    turns : Turns
        Who is next.
    most : int
        The bytes of answers and their keys that are kept.
    """

    def __init__(self, pool: Computes, turns: Turns, most: int = 64_000_000) -> None:
        self._pool, self._turns = pool, turns
        self.kept = Kept(most)
        self._flights: dict[bytes, _Flight] = {}
        self.hits = 0

    async def answer(self, asker: Asker, app: str, panel: str, values: dict[str, Any]) -> bytes:
        """Return a panel's answer, compressed.

        Parameters
        ----------
        asker : Asker
            Who asks.
        app, panel : str
            Which panel.
        values : dict
            The values of all its controls, checked.

        Raises
        ------
        Ended, Full, Superseded
            If there is no answer.
        """
        if any(isinstance(value, dict) for value in values.values()):
            return (await self._start(asker, app, panel, values, None).wait()).packed
        asked = msgspec.json.encode([app, panel, values], order="sorted")
        key = hashlib.blake2b(asked, digest_size=32).digest()
        while True:
            if kept := self.kept.get(key):
                self.hits += 1
                return kept
            flight = self._flights.get(key) or self._start(asker, app, panel, values, key)
            try:
                return (await flight.wait()).packed
            except Superseded:
                # Who began it moved on; who joined still wants it.
                if flight.asker == asker:
                    raise

    def _start(
        self, asker: Asker, app: str, panel: str, values: dict[str, Any], key: bytes | None
    ) -> _Flight:
        """Begin to compute; without a key the values hold a file of the reader's own."""
        flight = _Flight(asker)

        async def work() -> Answer:
            async with self._turns.turn(asker, own=key is None):
                flight.began = time.monotonic()
                return await self._pool.compute(app, panel, values, own=key is None)

        def done(task: asyncio.Task[Answer]) -> None:
            failed = task.cancelled() or task.exception() is not None
            if key is None:
                return
            self._flights.pop(key)
            # What went wrong once may go right the next time.
            if not failed and task.result().is_figure:
                self.kept.put(key, task.result().packed)

        flight.work = asyncio.create_task(work())
        flight.work.add_done_callback(done)
        if key is not None:
            self._flights[key] = flight
        return flight
