"""Short queues and fair ones, without a server."""

import asyncio
from contextlib import suppress
from types import SimpleNamespace

import pytest

from explorable.serve import turns
from explorable.serve.turns import Answer, Answers, Asker, Ended, Full, Superseded, Turns


class Hall:
    """Turns, and a record of whose turn it was."""

    def __init__(self, places=1, most=64):
        self.turns = Turns(places, most)
        self.order, self.gates = [], {}

    def come(self, name, address, page="p", panel="x", own=False):
        async def visit():
            async with self.turns.turn(Asker(address, page, panel), own):
                self.order.append(name)
                await self.gates.setdefault(name, asyncio.Event()).wait()

        return asyncio.create_task(visit())

    async def came(self, *visits):
        """Let visitors come together; a word is a name and the address."""
        tasks = [self.come(*((visit, visit) if isinstance(visit, str) else visit)) for visit in visits]
        await settle()
        return tasks

    async def done(self, *names):
        for name in names:
            self.gates[name].set()
            await settle()

    def is_empty(self):
        return (self.turns.waiting, self.turns.inside) == (0, 0)


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves on."""
    clock = SimpleNamespace(now=100.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(turns, "time", clock)
    return clock


@pytest.mark.parametrize("comes", [False, True])
async def test_who_left_a_moment_ago_holds_no_place_and_is_nobody_s_last_move(comes):
    hall = Hall()
    inside, gone = await hall.came("inside", "gone")
    # In one turn of the loop others come and go before the task of who left says so.
    if not comes:
        hall.gates["inside"].set()
    again = hall.come("again", "gone" if comes else "c")
    gone.cancel()
    await settle()
    await hall.done("inside", "again")
    assert hall.order == ["inside", "again"]
    await asyncio.gather(inside, again)
    assert gone.cancelled()
    assert hall.is_empty()


@pytest.mark.parametrize("called", [False, True])
async def test_who_leaves_gives_up_the_place(called):
    hall = Hall()
    first, second = await hall.came("first", "second")
    if called:
        # At the moment of being called.
        hall.gates["first"].set()
        await first
    second.cancel()
    await settle()
    third = hall.come("third", "third")
    await hall.done("first", "third")
    assert hall.order[-1] == "third"
    await third
    assert hall.is_empty()


async def test_addresses_take_turns_and_so_do_the_pages_of_one(clock):
    hall = Hall()
    moves = [(f"a{page}{i}", "first", page, f"panel{i}") for i, page in enumerate("pqpq")]
    await hall.came("first", *moves, "b")
    for _ in range(6):
        clock.now += 1
        await hall.done(hall.order[-1])
    assert hall.order == ["first", "b", "aq1", "ap0", "aq3", "ap2"]
    assert hall.is_empty()


async def test_who_took_much_waits_for_who_took_little_and_it_is_forgotten(clock):
    hall = Hall()
    await hall.came("long", ("again", "long", "q"), "b", "c")
    clock.now += 20
    await hall.done("long")
    for name in ("b", "c"):
        clock.now += 0.1
        await hall.done(name)
    assert hall.order == ["long", "b", "c", "again"]
    await hall.done("again")
    clock.now += 300
    hall.turns._look()
    assert not hall.turns._taken


async def test_the_last_place_is_for_nobody_who_took_more_than_those_inside(clock):
    hall = Hall(places=3)
    await hall.came(*"abc")
    clock.now += 20
    await hall.done(*"abc")
    await hall.came(*((f"{name}2", name) for name in "abc"))
    # They took the same, so all may; from now on the third has taken more.
    assert hall.order[3:] == ["a2", "b2", "c2"]
    await hall.done("c2")
    clock.now += 1
    hall.turns._taken["c",] += 100
    await hall.came(("c3", "c"), "honest")
    assert hall.order[6:] == ["honest"]


async def test_files_leave_half_of_the_places_to_others_and_an_address_one(clock):
    hall = Hall(places=4)
    await hall.came(*((name, name, "p", "x", True) for name in "abcd"), "e")
    assert hall.order == ["a", "b", "e"]
    await hall.done("a")
    assert hall.order == ["a", "b", "e", "c"]
    # So does one address, of which a page has one.
    hall = Hall(places=3)
    await hall.came(*((page, "a", page) for page in "pqrs"), ("p2", "a", "p", "other"), "b")
    assert hall.order == ["p", "q", "b"]
    await hall.done("q")
    assert hall.order[3:] == ["r"]


def refused(tasks):
    """Return which of the visitors found no room, or lost it."""
    return [i for i, task in enumerate(tasks) if task.done() and isinstance(task.exception(), Full)]


async def test_nobody_waits_without_end(monkeypatch):
    monkeypatch.setattr(turns, "_PATIENCE", 0.1)
    hall = Hall()
    tasks = await hall.came("inside", "a")
    await asyncio.sleep(0.3)
    assert (refused(tasks), hall.turns.waiting) == ([1], 0)


async def test_queues_are_short_and_who_fills_one_makes_room():
    hall = Hall(most=16)
    await hall.came("inside")
    # Four places for a page, half of all for an address.
    page = await hall.came(*((f"p{i}", "a", "p", f"panel{i}") for i in range(5)))
    more = await hall.came(*((f"q{i}", "a", f"page{i}") for i in range(5)))
    assert (refused(page), refused(more)) == ([4], [4])
    others = await hall.came(*((f"b{i}", "b", f"page{i}") for i in range(8)))
    assert (refused(others), hall.turns.waiting) == ([], 16)
    # Who holds most goes, the last first, until all have about the same.
    guests = await hall.came(*((f"c{i}", "c", f"page{i}") for i in range(6)))
    assert refused(guests) == [5]
    assert (refused(page), refused(more), refused(others)) == ([4], [1, 2, 3, 4], [6, 7])
    assert hall.turns.waiting == 16


class Slow:
    """A pool that computes until it is told."""

    def __init__(self):
        self.asked, self.gate, self.ended = [], asyncio.Event(), 0
        self.fails, self.good = False, True

    async def compute(self, app, panel, values, own):
        self.asked.append((values, own))
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.ended += 1
            raise
        if self.fails:
            raise Ended("no")
        return Answer(self.good, repr(values).encode())


def answers(places=2):
    pool, queue = Slow(), Turns(places, 64)
    return Answers(pool, queue), pool, queue


ANN, BOB, ZOE = (Asker(address, "p", "app/x") for address in "abz")


async def begun(asked, who, values):
    task = asyncio.create_task(asked.answer(who, "app", "z" if who is ZOE else "x", values))
    await settle()
    return task


async def test_one_computation_for_all_who_ask_the_same_and_then_none():
    asked, pool, _ = answers()
    waiting = [await begun(asked, who, {"n": 1}) for who in (ANN, BOB)]
    pool.gate.set()
    assert await asyncio.gather(*waiting) == [b"{'n': 1}"] * 2
    assert await asked.answer(ANN, "app", "x", {"n": 1}) == b"{'n': 1}"
    assert await asked.answer(ANN, "app", "y", {"n": 1})
    assert pool.asked == [({"n": 1}, False)] * 2
    assert asked.hits == 1


async def test_neither_a_file_nor_a_failure_is_kept_or_shared():
    asked, pool, _ = answers()
    pool.gate.set()
    file = {"file": {"name": "a", "text": "1"}}
    for _ in range(2):
        await asked.answer(ANN, "app", "x", file)
    pool.fails = True
    with pytest.raises(Ended):
        await asked.answer(ANN, "app", "x", {})
    pool.fails, pool.good = False, False
    # Nor are words in the place of a figure.
    for _ in range(2):
        assert await asked.answer(ANN, "app", "x", {})
    assert pool.asked == [(file, True)] * 2 + [({}, False)] * 3
    assert not asked._flights
    assert not asked.kept


async def test_who_moves_on_takes_nothing_from_who_joined():
    asked, pool, _ = answers(places=1)
    blocker = await begun(asked, ZOE, {})
    ann, bob = [await begun(asked, who, {"n": 1}) for who in (ANN, BOB)]
    newer = await begun(asked, ANN, {"n": 2})
    assert isinstance(ann.exception(), Superseded)
    pool.gate.set()
    assert await asyncio.gather(bob, newer, blocker) == [b"{'n': 1}", b"{'n': 2}", b"{}"]


@pytest.mark.parametrize("comes_back", [False, True])
async def test_what_nobody_waits_for_is_ended_after_a_moment(monkeypatch, comes_back):
    monkeypatch.setattr(turns, "_GRACE", 0.1)
    asked, pool, queue = answers()
    ann = await begun(asked, ANN, {})
    ann.cancel()
    await settle()
    assert pool.ended == 0
    if comes_back:
        ann = await begun(asked, BOB, {})
    await asyncio.sleep(0.3)
    assert pool.ended == (not comes_back)
    assert queue.inside == comes_back
    pool.gate.set()
    with suppress(asyncio.CancelledError):
        await ann


async def test_what_has_not_begun_is_dropped_at_once():
    asked, pool, queue = answers(places=1)
    blocker, ann = await begun(asked, ZOE, {}), await begun(asked, ANN, {})
    assert queue.waiting == 1
    ann.cancel()
    await asyncio.sleep(0.05)
    assert queue.waiting == 0
    pool.gate.set()
    await blocker
    assert len(pool.asked) == 1
