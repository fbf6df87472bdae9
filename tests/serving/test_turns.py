"""Short queues and fair ones, without a server."""

import asyncio
from contextlib import suppress
from types import SimpleNamespace

import pytest

from explorable.serve import turns
from explorable.serve.turns import Answer, Answers, Asker, Ended, Full, Superseded, Turns


class Hall:
    """Turns, and a record of whose turn it was."""

    def __init__(self, places: int = 1, most: int = 64) -> None:
        self.turns = Turns(places, most)
        self.order: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}

    def come(
        self, name: str, address: str, page: str = "p", panel: str = "x", own: bool = False
    ) -> asyncio.Task:
        async def visit() -> None:
            async with self.turns.turn(Asker(address, page, panel), own):
                self.order.append(name)
                await self.gates.setdefault(name, asyncio.Event()).wait()

        return asyncio.create_task(visit())

    async def came(self, *given, **more) -> asyncio.Task:
        task = self.come(*given, **more)
        await settle()
        return task

    async def all_came(self, *visits: tuple) -> list[asyncio.Task]:
        tasks = [self.come(*visit) for visit in visits]
        await settle()
        return tasks

    async def done(self, name: str) -> None:
        self.gates[name].set()
        await settle()

    def is_empty(self) -> bool:
        return (self.turns.waiting, self.turns.inside) == (0, 0)


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """A clock that the test sets; what it shows is the list's last entry."""
    shown = [100.0]
    monkeypatch.setattr(turns, "time", SimpleNamespace(monotonic=lambda: shown[-1]))
    return shown


@pytest.mark.parametrize("comes", [False, True])
async def test_who_left_a_moment_ago_holds_no_place_and_is_nobody_s_last_move(comes):
    hall = Hall()
    inside, gone = await hall.all_came(("inside", "a"), ("gone", "b"))
    # In one turn of the loop others come and go before the task of who left says so.
    if not comes:
        hall.gates["inside"].set()
    again = hall.come("again", "b" if comes else "c")
    gone.cancel()
    await settle()
    hall.gates["inside"].set()
    await settle()
    await hall.done("again")
    assert hall.order == ["inside", "again"]
    await asyncio.gather(inside, again)
    assert gone.cancelled()
    assert hall.is_empty()


async def test_addresses_take_turns_and_so_do_the_pages_of_one(clock):
    hall = Hall()
    tasks = [await hall.came("first", "a")]
    moves = [(f"a{page}{i}", "a", page, f"panel{i}") for i, page in enumerate("pqpq")]
    tasks += await hall.all_came(*moves, ("b", "b"))
    for _ in range(6):
        clock.append(clock[-1] + 1)
        await hall.done(hall.order[-1])
    assert hall.order == ["first", "b", "aq1", "ap0", "aq3", "ap2"]
    await asyncio.gather(*tasks)
    assert hall.is_empty()


async def test_who_took_much_waits_for_who_took_little_and_it_is_forgotten(clock):
    hall = Hall()
    tasks = [await hall.came("long", "a")]
    tasks += await hall.all_came(("again", "a", "q"), ("b", "b"), ("c", "c"))
    clock.append(clock[-1] + 20)
    await hall.done("long")
    for name in ("b", "c"):
        clock.append(clock[-1] + 0.1)
        await hall.done(name)
    assert hall.order == ["long", "b", "c", "again"]
    await hall.done("again")
    await asyncio.gather(*tasks)
    clock.append(clock[-1] + 300)
    hall.turns._look()
    assert not hall.turns._taken


async def test_the_last_place_is_for_nobody_who_took_more_than_those_inside(clock):
    hall = Hall(places=3)
    greedy = await hall.all_came(*zip("abc", "abc", strict=True))
    clock.append(clock[-1] + 20)
    for name in "abc":
        await hall.done(name)
    await asyncio.gather(*greedy)
    for name in "abc":
        await hall.came(f"{name}2", name)
    # They took the same, so all may; from now on the third has taken more.
    assert hall.order[3:] == ["a2", "b2", "c2"]
    await hall.done("c2")
    clock.append(clock[-1] + 1)
    hall.turns._taken["c",] += 100
    await hall.came("c3", "c")
    assert hall.order[6:] == []
    await hall.came("honest", "d")
    assert hall.order[6:] == ["honest"]


async def test_files_leave_half_of_the_places_to_others(clock):
    hall = Hall(places=4)
    for name in "abcd":
        await hall.came(name, name, own=True)
    assert hall.order == ["a", "b"]
    await hall.came("e", "e")
    await hall.done("a")
    assert hall.order == ["a", "b", "e", "c"]


async def test_one_address_leaves_a_place_to_others_and_a_page_has_one(clock):
    hall = Hall(places=3)
    for page in "pqrs":
        hall.come(page, "a", page)
    await hall.came("p2", "a", "p", "other")
    assert hall.order == ["p", "q"]
    await hall.came("b", "b")
    assert hall.order == ["p", "q", "b"]
    await hall.done("q")
    assert hall.order[3:] == ["r"]


async def test_nobody_waits_without_end(monkeypatch):
    monkeypatch.setattr(turns, "_PATIENCE", 0.1)
    hall = Hall()
    await hall.came("inside", "z")
    waiting = hall.come("a", "a")
    await asyncio.sleep(0.3)
    assert isinstance(waiting.exception(), Full)
    assert hall.turns.waiting == 0


async def test_queues_are_short():
    hall = Hall(most=8)
    await hall.came("inside", "z", "z")
    four = await hall.all_came(*((f"a{i}", "a", "p", f"panel{i}") for i in range(4)))
    refused = await hall.all_came(("a4", "a", "p", "panel4"), ("a5", "a", "q"))
    assert refused[1].done(), "half of the queue is for other addresses"
    for name in "bcde":
        await hall.came(name, name)
    # Who holds most of a full queue makes room for the last.
    assert not (await hall.came("f", "f")).done()
    assert [type(task.exception()) for task in (four.pop(), *refused)] == [Full] * 3
    assert not any(task.done() for task in four)
    assert hall.turns.waiting == 8


async def test_who_fills_the_queue_makes_room_for_who_comes():
    hall = Hall(most=8)
    await hall.came("inside", "z")
    crowd = await hall.all_came(*((f"{a}{i}", a, f"page{i}") for i in range(4) for a in "ab"))
    assert hall.turns.waiting == 8
    guests = await hall.all_came(*((f"c{i}", "c", f"page{i}") for i in range(2)))
    assert not any(task.done() for task in guests)
    assert [type(task.exception()) for task in crowd if task.done()] == [Full] * 2
    assert hall.turns.waiting == 8
    # All have about the same now, so that there is nobody who should go.
    refused = await hall.came("c2", "c", "page2")
    assert isinstance(refused.exception(), Full)


async def test_a_page_has_four_places_in_the_queue():
    hall = Hall(most=64)
    await hall.came("inside", "z")
    tasks = [hall.come(f"a{i}", "a", "p", f"panel{i}") for i in range(5)]
    other = await hall.came("q", "a", "q")
    assert [task.done() for task in tasks] == [False] * 4 + [True]
    assert isinstance(tasks[4].exception(), Full)
    assert not other.done()


@pytest.mark.parametrize("called", [False, True])
async def test_who_leaves_gives_up_the_place(called):
    hall = Hall()
    first, second = await hall.all_came(("first", "a"), ("second", "b"))
    if called:
        # At the moment of being called.
        hall.gates["first"].set()
        await first
    second.cancel()
    await settle()
    third = hall.come("third", "c")
    await hall.done("first")
    assert hall.order[-1] == "third"
    await hall.done("third")
    await third
    assert hall.is_empty()


class Slow:
    """A pool that computes until it is told."""

    def __init__(self) -> None:
        self.asked: list[tuple[dict, bool]] = []
        self.gate = asyncio.Event()
        self.ended = 0
        self.fails, self.good = False, True

    async def compute(self, app: str, panel: str, values: dict, own: bool) -> Answer:
        self.asked.append((values, own))
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.ended += 1
            raise
        if self.fails:
            raise Ended("no")
        return Answer(self.good, json_of(values))


def json_of(values: dict) -> bytes:
    return repr(values).encode()


def answers(places: int = 2) -> tuple[Answers, Slow, Turns]:
    pool, turns = Slow(), Turns(places, 64)
    return Answers(pool, turns), pool, turns  # type: ignore[arg-type]


ANN, BOB, ZOE = (Asker(address, "p", "app/x") for address in "abz")


async def begun(asked: Answers, who: Asker, values: dict) -> asyncio.Task:
    task = asyncio.create_task(asked.answer(who, "app", "z" if who is ZOE else "x", values))
    await settle()
    return task


async def test_one_computation_for_all_who_ask_the_same_and_then_none():
    asked, pool, _ = answers()
    waiting = [asyncio.create_task(asked.answer(who, "app", "x", {"n": 1})) for who in (ANN, BOB)]
    await settle()
    pool.gate.set()
    assert await asyncio.gather(*waiting) == [json_of({"n": 1})] * 2
    assert await asked.answer(ANN, "app", "x", {"n": 1}) == json_of({"n": 1})
    assert await asked.answer(ANN, "app", "y", {"n": 1})
    assert pool.asked == [({"n": 1}, False)] * 2
    assert asked.hits == 1


async def test_a_file_is_neither_kept_nor_shared():
    asked, pool, _ = answers()
    pool.gate.set()
    values = {"file": {"name": "a", "text": "1"}}
    for _ in range(2):
        await asked.answer(ANN, "app", "x", values)
    assert pool.asked == [(values, True)] * 2
    assert not asked._flights
    assert not asked.kept


async def test_a_failure_is_told_and_not_kept():
    asked, pool, _ = answers()
    pool.gate.set()
    pool.fails = True
    with pytest.raises(Ended):
        await asked.answer(ANN, "app", "x", {})
    pool.fails, pool.good = False, False
    # Words in the place of a figure are told and not kept, either.
    for _ in range(2):
        assert await asked.answer(ANN, "app", "x", {})
    assert len(pool.asked) == 3
    assert not asked.kept


async def test_who_moves_on_takes_nothing_from_who_joined():
    asked, pool, _ = answers(places=1)
    blocker = await begun(asked, ZOE, {})
    ann = await begun(asked, ANN, {"n": 1})
    bob = await begun(asked, BOB, {"n": 1})
    newer = await begun(asked, ANN, {"n": 2})
    assert isinstance(ann.exception(), Superseded)
    pool.gate.set()
    assert await bob == json_of({"n": 1})
    assert await newer == json_of({"n": 2})
    await blocker


@pytest.mark.parametrize("comes_back", [False, True])
async def test_what_nobody_waits_for_is_ended_after_a_moment(monkeypatch, comes_back):
    monkeypatch.setattr("explorable.serve.turns._GRACE", 0.1)
    asked, pool, turns = answers()
    ann = await begun(asked, ANN, {})
    ann.cancel()
    await settle()
    assert pool.ended == 0
    if comes_back:
        ann = asyncio.create_task(asked.answer(BOB, "app", "x", {}))
    await asyncio.sleep(0.3)
    assert pool.ended == (not comes_back)
    assert turns.inside == comes_back
    pool.gate.set()
    with suppress(asyncio.CancelledError):
        await ann


async def test_what_has_not_begun_is_dropped_at_once():
    asked, pool, turns = answers(places=1)
    blocker = await begun(asked, ZOE, {})
    ann = await begun(asked, ANN, {})
    assert turns.waiting == 1
    ann.cancel()
    await asyncio.sleep(0.05)
    assert turns.waiting == 0
    pool.gate.set()
    await blocker
    assert len(pool.asked) == 1
