"""The entry of a server: whatever comes, a move of a panel or a plain refusal."""

import asyncio
import json
import math
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import AsyncMock

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import ROOT
from starlette.exceptions import HTTPException
from starlette.requests import Request

from explorable.panels import Choice, Count, File, LogSlider, Rounds, Slider, Stops, Switch
from explorable.serve import entry, server
from explorable.serve.entry import Moves, Refused
from explorable.serve.options import Options
from explorable.serve.turns import Kept
from explorable.serve.worker import read_app
from explorable.tables import Role

PLACE = Options(ip="0.0.0.0", host=("a.example",), trust_proxy=True)
ROLES = [Role("score", "Score", "", ""), Role("other", "Other", "", "", many=True)]
CONTROLS = {
    "n": Slider(0, 10**5 - 1, step=1),
    "eta": LogSlider(0.001, 0.5),
    "k": Count([1, 5, 100]),
    "few": Choice([4, 6, 8, 10, 12]),
    "fixed": Stops([0.1, 0.2, 0.7], between=False),
    "which": Choice({"published": True, "tight": False, "other": "word"}),
    "on": Switch(),
    "round": Rounds(20),
    "file": File(["one", "two"], roles=ROLES, limit=1000),
}
MOVES = Moves(CONTROLS)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
FILES = st.fixed_dictionaries(
    {"name": st.text(max_size=600), "text": st.text(max_size=1200)},
    optional={"columns": st.dictionaries(st.sampled_from(["score", "other", "x"]), JSON)},
)
ASKED = st.dictionaries(st.sampled_from([*CONTROLS, "zz", ""]), JSON | FILES, max_size=4)
DEEP = st.builds(
    lambda name, depth, opened: f'{{"{name}":{opened * depth}',
    *(st.sampled_from([*CONTROLS, "zz"]), st.integers(2, 100_000), st.sampled_from(["[", '{"a":'])),
)


@given(
    ASKED.map(json.dumps).map(str.encode)
    | st.binary(max_size=200)
    | (st.text(max_size=200) | DEEP).map(str.encode)
)
def test_what_is_asked_fits_the_controls_or_is_refused_in_a_few_words(body):
    try:
        values, words = MOVES.read(body), "taken"
    except Refused as refused:
        values, words = None, str(refused)
    assert 0 < len(words) <= 300
    if values is None:
        return
    # All controls, each with what it accepts, in plain types that make a short key.
    assert list(values) == list(CONTROLS)
    for name, value in values.items():
        if isinstance(value, dict):
            assert name == "file"
            assert set(value) == {"name", "text", "columns"}
        else:
            assert type(value) in (bool, int, float, str)
            assert CONTROLS[name].accepts(name, value) == value
            assert len(json.dumps(value, allow_nan=False)) < 100
    assert MOVES.read(msgspec.json.encode(values)) == values


def test_a_refusal_says_what_is_wrong():
    for asked, said in (
        ({"zz": 1}, "unknown field `zz`"),
        ({"n": "x"}, r"Expected `int \| float`"),
        ({"n": 10**6}, "n = 1000000: must be"),
        ({"n": 0.5}, "n = 0.5: must be an integer"),
        ({"few": 5}, "few = 5: must be one of 4"),
        ({"which": "x" * 5}, "length <= 4"),
        ({"file": {"name": "a", "text": "1" * 1001}}, "larger than the 1,000 bytes"),
        ({"file": {"name": "a", "text": "1", "columns": {"x": "y"}}}, "columns"),
        ({"file": {"name": "a"}}, "missing required field `text`"),
        ({"file": "six"}, "file = 'six': must be one of"),
    ):
        with pytest.raises(Refused, match=said):
            MOVES.read(json.dumps(asked).encode())


def test_a_long_body_is_read_in_a_moment_and_a_panel_without_a_file_takes_none():
    moves = Moves({"file": File(["one", "two"])})
    text = '1,"é"\n' * 500_000
    body = json.dumps({"file": {"name": "a", "text": text}}, ensure_ascii=False).encode()
    assert len(body) < moves.longest
    start = time.process_time()
    assert moves.read(body)["file"]["text"] == text
    assert time.process_time() - start < 0.3
    assert Moves({"n": Slider(0, 1)}).longest < 20_000


def test_every_stop_of_every_app_is_a_move():
    apps = [read_app(path) for path in (ROOT / "book" / "apps").glob("*.ipynb")]
    panels = [controls for app in apps for controls in app.controls.values()]
    assert len(panels) >= 11
    for controls in panels:
        moves = Moves(controls)
        start = moves.read(b"{}")
        for name, control in controls.items():
            for stop in control.for_face(live=True).describe(name)["stops"]:
                assert moves.read(json.dumps({name: stop}).encode()) == {**start, name: stop}


async def answered(scope):
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 200_000})

    async def send(message):
        sent.append(message)

    disconnect = AsyncMock(return_value={"type": "http.disconnect"})
    await entry.Entry(app, PLACE)({"type": "http", "method": "GET", **scope}, disconnect, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, [message["body"] for message in sent[1:]]


NAMES = st.sampled_from([b"host", b"content-length", b"transfer-encoding", b"x"])


@given(
    st.text(st.characters(codec="utf-8"), max_size=2500).map("/".__add__),
    st.lists(st.tuples(NAMES, st.binary(max_size=20)), max_size=5),
)
def test_any_head_is_passed_on_or_refused_and_dressed(path, headers):
    scope = {"path": path, "headers": [*headers, (b"host", b"a.example")]}
    with ThreadPoolExecutor(1) as apart:
        status, found, body = apart.submit(asyncio.run, answered(scope)).result()
    assert status in {200, 400, 403, 411}
    assert found["x-content-type-options"] == "nosniff"
    assert all(len(part) <= 65_536 for part in body)
    if status == 200:
        assert b"".join(body) == b"x" * 200_000
        assert path.isprintable()
        assert len(path) <= 2000
        assert b"transfer-encoding" not in dict(headers)


def test_who_asks_is_what_the_server_in_front_wrote_last():
    for lines, found in (
        ((), "10.0.0.1"),
        # A server in front that adds to the line, and one that adds a line of its own.
        ((b"192.0.2.1, 192.0.2.77",), "192.0.2.77"),
        ((b"192.0.2.1, 1.1.1.1", b"192.0.2.2, 192.0.2.77 "), "192.0.2.77"),
    ):
        headers = [(b"x-forwarded-for", line) for line in lines]
        scope = {"type": "http", "headers": headers, "client": ("10.0.0.1", 1)}
        assert entry.address(Request(scope), PLACE) == found


def body_of(*parts, length=5_000_000):
    """A request whose body comes in parts, each after some seconds."""
    coming = iter(parts)

    async def receive():
        seconds, part = next(coming, (math.inf, b""))
        await asyncio.sleep(min(seconds, 60))
        return {"type": "http.request", "body": part, "more_body": True}

    headers = [(b"content-length", str(length).encode())]
    return Request({"type": "http", "headers": headers}, receive)


async def refused(bodies, request, address="a"):
    with pytest.raises(HTTPException) as found:
        async with bodies.read(request, address, 9_000_000):
            pass
    return found.value.status_code


async def test_a_body_counts_as_it_arrives_by_address_and_is_forgotten(monkeypatch):
    monkeypatch.setattr(entry, "_PATIENCE", 0.3)
    monkeypatch.setattr(entry, "_MOST_OF_AN_ADDRESS", 3_000_000)
    monkeypatch.setattr(entry, "_MOST_HELD", 4_000_000)
    million = (0.0, b"x" * 1_000_000)
    bodies = entry.Bodies()
    silent = [asyncio.create_task(refused(bodies, body_of())) for _ in range(50)]
    held = asyncio.create_task(refused(bodies, body_of(million, million)))
    await asyncio.sleep(0.1)
    assert bodies._held == Counter(a=2_000_000 - 16_384)
    assert await refused(bodies, body_of(million, million)) == 503
    assert await refused(bodies, body_of(million, million, million), "b") == 503
    # Who sends no file is never in the way of who does.
    assert await refused(bodies, body_of((0.0, b"x" * 16_000)), "c") == 408
    assert await asyncio.gather(*silent, held) == [408] * 51
    assert not bodies._held


async def test_more_than_was_said_is_not_read_and_slow_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(entry, "_PATIENCE", 0.2)
    monkeypatch.setattr(entry, "_LEAST_SPEED", 100_000)
    bodies = entry.Bodies()
    endless = [(0.0, b"x" * 1_000_000)] * 20
    assert await refused(bodies, body_of(*endless, length=12)) == 413
    start = time.monotonic()
    assert await refused(bodies, body_of(*[(0.1, b"x" * 5000)] * 100)) == 408
    assert 0.3 < time.monotonic() - start < 3


@given(st.lists(st.tuples(st.binary(max_size=40), st.binary(max_size=400)), max_size=40))
def test_what_is_kept_never_grows_beyond_its_bytes(entries):
    kept = Kept(3000)
    for key, answer in entries:
        kept.put(key, answer)
        assert kept.size <= 3000
        assert kept.get(key) == answer
        assert kept.size == sum(len(k) + len(v) + 300 for k, v in kept._answers.items())


async def test_numbers_are_gathered_once_for_all_who_ask(monkeypatch):
    gathered = []
    monkeypatch.setattr(server, "generate_latest", lambda _: gathered.append(1) or b"told")
    told = server.Metrics.__new__(server.Metrics)
    told._registry, told._told, told._asked = None, None, 0.0
    assert set(await asyncio.gather(*(told.text() for _ in range(50)))) == {b"told"}
    assert await told.text() == b"told"
    assert len(gathered) == 1
    monkeypatch.setattr(server, "_FRESH", 0.0)
    await told.text()
    assert len(gathered) == 2
