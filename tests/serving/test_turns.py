"""Short queues and fair ones, without a server."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
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

    async def done(self, name: str) -> None:
        self.gates[name].set()
        await settle()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def run(test) -> None:
    """Run a test in a thread: a browser of an earlier test leaves its loop in this one."""
    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, asyncio.wait_for(test, 10)).result()


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """A clock that the test sets; what it shows is the list's last entry."""
    shown = [100.0]
    monkeypatch.setattr(turns, "time", SimpleNamespace(monotonic=lambda: shown[-1]))
    return shown


@pytest.mark.parametrize("comes", [False, True])
def test_who_left_a_moment_ago_holds_no_place_and_is_nobody_s_last_move(comes):
    async def test() -> None:
        hall = Hall()
        inside, gone = hall.come("inside", "a"), hall.come("gone", "b")
        await settle()
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
        assert (hall.turns.waiting, hall.turns.inside) == (0, 0)

    run(test())


def test_addresses_take_turns_and_so_do_the_pages_of_one(clock):
    async def test() -> None:
        hall = Hall()
        tasks = [hall.come("first", "a")]
        await settle()
        for i, page in enumerate("pqpq"):
            tasks.append(hall.come(f"a{page}{i}", "a", page, f"panel{i}"))
        tasks.append(hall.come("b", "b"))
        await settle()
        for _ in range(6):
            clock.append(clock[-1] + 1)
            await hall.done(hall.order[-1])
        assert hall.order == ["first", "b", "aq1", "ap0", "aq3", "ap2"]
        await asyncio.gather(*tasks)
        assert (hall.turns.waiting, hall.turns.inside) == (0, 0)

    run(test())


def test_who_took_much_waits_for_who_took_little_and_it_is_forgotten(clock):
    async def test() -> None:
        hall = Hall()
        tasks = [hall.come("long", "a")]
        await settle()
        tasks += [hall.come("again", "a", "q"), hall.come("b", "b"), hall.come("c", "c")]
        await settle()
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

    run(test())


def test_the_last_place_is_for_nobody_who_took_more_than_those_inside(clock):
    async def test() -> None:
        hall = Hall(places=3)
        greedy = [hall.come(name, name) for name in "abc"]
        await settle()
        clock.append(clock[-1] + 20)
        for name in "abc":
            await hall.done(name)
        await asyncio.gather(*greedy)
        for name in "abc":
            hall.come(f"{name}2", name)
        await settle()
        # They took the same, so all may; from now on the third has taken more.
        assert hall.order[3:] == ["a2", "b2", "c2"]
        await hall.done("c2")
        clock.append(clock[-1] + 1)
        hall.turns._taken["c",] += 100
        hall.come("c3", "c")
        await settle()
        assert hall.order[6:] == []
        hall.come("honest", "d")
        await settle()
        assert hall.order[6:] == ["honest"]

    run(test())


def test_files_leave_half_of_the_places_to_others(clock):
    async def test() -> None:
        hall = Hall(places=4)
        for name in "abcd":
            hall.come(name, name, own=True)
        await settle()
        assert hall.order == ["a", "b"]
        hall.come("e", "e")
        await settle()
        await hall.done("a")
        assert hall.order == ["a", "b", "e", "c"]

    run(test())


def test_one_address_leaves_a_place_to_others_and_a_page_has_one(clock):
    async def test() -> None:
        hall = Hall(places=3)
        for page in "pqrs":
            hall.come(page, "a", page)
        hall.come("p2", "a", "p", "other")
        await settle()
        assert hall.order == ["p", "q"]
        hall.come("b", "b")
        await settle()
        assert hall.order == ["p", "q", "b"]
        await hall.done("q")
        assert hall.order[3:] == ["r"]

    run(test())


def test_nobody_waits_without_end(monkeypatch):
    monkeypatch.setattr(turns, "_PATIENCE", 0.1)

    async def test() -> None:
        hall = Hall()
        hall.come("inside", "z")
        await settle()
        waiting = hall.come("a", "a")
        await asyncio.sleep(0.3)
        assert isinstance(waiting.exception(), Full)
        assert hall.turns.waiting == 0

    run(test())


def test_an_only_place_is_for_all():
    async def test() -> None:
        hall = Hall(places=1)
        hall.come("a", "a")
        await settle()
        assert hall.order == ["a"]

    run(test())


def test_queues_are_short():
    async def test() -> None:
        hall = Hall(most=8)
        hall.come("inside", "z", "z")
        await settle()
        four = [hall.come(f"a{i}", "a", "p", f"panel{i}") for i in range(4)]
        await settle()
        refused = [hall.come("a4", "a", "p", "panel4"), hall.come("a5", "a", "q")]
        for name in "bcde":
            hall.come(name, name)
        await settle()
        refused.append(hall.come("f", "f"))
        await settle()
        # Who holds most of a full queue makes room for the last.
        assert not refused.pop().done()
        assert [type(task.exception()) for task in (four.pop(), *refused)] == [Full] * 3
        assert not any(task.done() for task in four)
        assert hall.turns.waiting == 8

    run(test())


def test_who_fills_the_queue_makes_room_for_who_comes():
    async def test() -> None:
        hall = Hall(most=8)
        hall.come("inside", "z")
        await settle()
        crowd = [hall.come(f"{a}{i}", a, f"page{i}") for i in range(4) for a in "ab"]
        await settle()
        assert hall.turns.waiting == 8
        guests = [hall.come(f"c{i}", "c", f"page{i}") for i in range(2)]
        await settle()
        assert not any(task.done() for task in guests)
        assert [type(task.exception()) for task in crowd if task.done()] == [Full] * 2
        assert hall.turns.waiting == 8
        # All have about the same now, so that there is nobody who should go.
        refused = hall.come("c2", "c", "page2")
        await settle()
        assert isinstance(refused.exception(), Full)

    run(test())


def test_a_page_has_four_places_in_the_queue():
    async def test() -> None:
        hall = Hall(most=64)
        hall.come("inside", "z")
        await settle()
        tasks = [hall.come(f"a{i}", "a", "p", f"panel{i}") for i in range(5)]
        other = hall.come("q", "a", "q")
        await settle()
        assert [task.done() for task in tasks] == [False] * 4 + [True]
        assert isinstance(tasks[4].exception(), Full)
        assert not other.done()

    run(test())


def test_a_newer_move_takes_the_place_of_the_last():
    async def test() -> None:
        hall = Hall()
        hall.come("inside", "z")
        await settle()
        old, other = hall.come("old", "a"), hall.come("other", "a", "q")
        await settle()
        hall.come("new", "a")
        await settle()
        assert isinstance(old.exception(), Superseded)
        assert not other.done()
        assert hall.turns.waiting == 2

    run(test())


@pytest.mark.parametrize("called", [False, True])
def test_who_leaves_gives_up_the_place(called):
    async def test() -> None:
        hall = Hall()
        first, second = hall.come("first", "a"), hall.come("second", "b")
        await settle()
        if called:
            # At the moment of being called.
            hall.gates["first"].set()
            await first
        second.cancel()
        await settle()
        third = hall.come("third", "c")
        hall.gates["first"].set()
        await settle()
        assert hall.order[-1] == "third"
        hall.gates["third"].set()
        await third
        assert (hall.turns.waiting, hall.turns.inside) == (0, 0)

    run(test())


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


ANN, BOB = Asker("a", "p", "app/x"), Asker("b", "p", "app/x")


def test_one_computation_for_all_who_ask_the_same_and_then_none():
    async def test() -> None:
        asked, pool, _ = answers()
        waiting = [asyncio.create_task(asked.answer(who, "app", "x", {"n": 1})) for who in (ANN, BOB)]
        await settle()
        pool.gate.set()
        assert await asyncio.gather(*waiting) == [json_of({"n": 1})] * 2
        assert await asked.answer(ANN, "app", "x", {"n": 1}) == json_of({"n": 1})
        assert await asked.answer(ANN, "app", "y", {"n": 1})
        assert pool.asked == [({"n": 1}, False)] * 2
        assert asked.hits == 1

    run(test())


def test_a_file_is_neither_kept_nor_shared():
    async def test() -> None:
        asked, pool, _ = answers()
        pool.gate.set()
        values = {"file": {"name": "a", "text": "1"}}
        for _ in range(2):
            await asked.answer(ANN, "app", "x", values)
        assert pool.asked == [(values, True)] * 2
        assert not asked._flights
        assert not asked.kept

    run(test())


def test_a_failure_is_told_and_not_kept():
    async def test() -> None:
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

    run(test())


def test_who_moves_on_takes_nothing_from_who_joined():
    async def test() -> None:
        asked, pool, _ = answers(places=1)
        blocker = asyncio.create_task(asked.answer(Asker("z", "z", "z"), "app", "z", {}))
        await settle()
        ann = asyncio.create_task(asked.answer(ANN, "app", "x", {"n": 1}))
        await settle()
        bob = asyncio.create_task(asked.answer(BOB, "app", "x", {"n": 1}))
        await settle()
        newer = asyncio.create_task(asked.answer(ANN, "app", "x", {"n": 2}))
        await settle()
        assert isinstance(ann.exception(), Superseded)
        pool.gate.set()
        assert await bob == json_of({"n": 1})
        assert await newer == json_of({"n": 2})
        await blocker

    run(test())


@pytest.mark.parametrize("comes_back", [False, True])
def test_what_nobody_waits_for_is_ended_after_a_moment(monkeypatch, comes_back):
    monkeypatch.setattr("explorable.serve.turns._GRACE", 0.1)

    async def test() -> None:
        asked, pool, turns = answers()
        ann = asyncio.create_task(asked.answer(ANN, "app", "x", {}))
        await settle()
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

    run(test())


def test_what_has_not_begun_is_dropped_at_once():
    async def test() -> None:
        asked, pool, turns = answers(places=1)
        blocker = asyncio.create_task(asked.answer(Asker("z", "z", "z"), "app", "z", {}))
        await settle()
        ann = asyncio.create_task(asked.answer(ANN, "app", "x", {}))
        await settle()
        assert turns.waiting == 1
        ann.cancel()
        await asyncio.sleep(0.05)
        assert turns.waiting == 0
        pool.gate.set()
        await blocker
        assert len(pool.asked) == 1

    run(test())
