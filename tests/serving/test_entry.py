"""The entry of a server: whatever comes, a move of a panel or a plain refusal."""

import asyncio
import json
import math
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import ROOT
from starlette.exceptions import HTTPException
from starlette.requests import Request

from explorable.panels import Choice, Count, File, LogSlider, Rounds, Slider, Stops, Switch
from explorable.panels.controls import Control
from explorable.serve import entry, server
from explorable.serve.entry import Moves, Refused
from explorable.serve.options import Options
from explorable.serve.turns import Kept
from explorable.serve.worker import read_app
from explorable.tables import Role

PLACE = Options(ip="0.0.0.0", host=("a.example",), trust_proxy=True)
ROLES = [Role("score", "Score", "", ""), Role("other", "Other", "", "", many=True)]
CONTROLS: dict[str, Control] = {
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


def fits(values: dict[str, Any]) -> None:
    """All controls, each with what it accepts, in plain types that make a short key."""
    assert list(values) == list(CONTROLS)
    for name, value in values.items():
        if isinstance(value, dict):
            assert name == "file"
            assert set(value) == {"name", "text", "columns"}
        else:
            assert type(value) in (bool, int, float, str)
            assert CONTROLS[name].accepts(name, value) == value
            assert len(json.dumps(value, allow_nan=False)) < 100


def read(body: bytes) -> dict[str, Any] | None:
    """The values, or None where they are refused in a few words; nothing else can happen."""
    try:
        return MOVES.read(body)
    except Refused as refused:
        words = str(refused)
    assert 0 < len(words) <= 300
    return None


@given(ASKED)
def test_what_is_asked_fits_the_controls_or_is_refused_in_a_few_words(asked):
    body = json.dumps(asked).encode()
    values = read(body)
    if values:
        fits(values)
        assert MOVES.read(msgspec.json.encode(values)) == values


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_fit_or_are_refused(body):
    values = read(body)
    if values:
        fits(values)


@given(st.sampled_from([*CONTROLS, "zz"]), st.integers(2, 100_000), st.sampled_from("[{"))
def test_no_depth_is_ever_made(name, depth, opening):
    opened = ("[" if opening == "[" else '{"a":') * depth
    with pytest.raises(Refused):
        MOVES.read(f'{{"{name}":{opened}'.encode())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"zz": 1}, "unknown field `zz`"),
        ({"n": "x"}, "Expected `int | float`"),
        ({"n": 10**6}, "n = 1000000: must be"),
        ({"n": 0.5}, "n = 0.5: must be an integer"),
        ({"few": 5}, "few = 5: must be one of 4"),
        ({"which": "x" * 5}, "length <= 4"),
        ({"on": 1}, "Expected `bool`"),
        ({"file": {"name": "a", "text": "1" * 1001}}, "larger than the 1,000 bytes"),
        ({"file": {"name": "a", "text": "1", "columns": {"x": "y"}}}, "columns"),
        ({"file": {"name": "a"}}, "missing required field `text`"),
        ({"file": "six"}, "file = 'six': must be one of"),
    ],
)
def test_a_refusal_says_what_is_wrong(asked, said):
    with pytest.raises(Refused, match=said.replace("|", r"\|")):
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


@cache
def own_panels() -> list[dict[str, Control]]:
    apps = sorted((ROOT / "book" / "apps").glob("*.ipynb"))
    return [controls for path in apps for controls in read_app(path).controls.values()]


def test_every_stop_of_every_app_is_a_move():
    assert len(own_panels()) >= 11
    for controls in own_panels():
        moves = Moves(controls)
        start = moves.read(b"{}")
        for name, control in controls.items():
            for stop in control.for_face(live=True).describe(name)["stops"]:
                read = moves.read(json.dumps({name: stop}).encode())
                assert read == {**start, name: stop}


# ------------------------------------------------------------------ heads


async def answered(scope: dict[str, Any]) -> tuple[int, dict[str, str], list[bytes]]:
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 200_000})

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    await entry.Entry(app, PLACE)({"type": "http", "method": "GET", **scope}, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, [message["body"] for message in sent[1:]]


def run(work: Any) -> Any:
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, work).result()


HOST = (b"host", b"a.example")


@given(
    st.text(st.characters(codec="utf-8"), max_size=2500).map("/".__add__),
    st.lists(
        st.tuples(
            st.sampled_from([b"host", b"content-length", b"transfer-encoding", b"x"]), st.binary(max_size=20)
        ),
        max_size=5,
    ),
)
def test_any_head_is_passed_on_or_refused_and_dressed(path, headers):
    status, found, body = run(answered({"path": path, "headers": [*headers, HOST]}))
    assert status in {200, 400, 403, 411}
    assert found["x-content-type-options"] == "nosniff"
    assert all(len(part) <= 65_536 for part in body)
    if status == 200:
        assert b"".join(body) == b"x" * 200_000
        assert path.isprintable()
        assert len(path) <= 2000
        assert b"transfer-encoding" not in dict(headers)


def asked_by(*lines: str) -> str:
    headers = [(b"x-forwarded-for", line.encode()) for line in lines]
    scope = {"type": "http", "headers": headers, "client": ("10.0.0.1", 1)}
    return entry.address(Request(scope), PLACE)


def test_who_asks_is_what_the_server_in_front_wrote_last():
    assert asked_by() == "10.0.0.1"
    assert asked_by("192.0.2.1, 192.0.2.77") == "192.0.2.77"
    # A server in front that adds a line of its own.
    assert asked_by("192.0.2.1", "192.0.2.77") == "192.0.2.77"
    assert asked_by("192.0.2.1, 1.1.1.1", "192.0.2.2, 192.0.2.77 ") == "192.0.2.77"


# ------------------------------------------------------------------ bodies


def body_of(*parts: tuple[float, bytes], length: int = 5_000_000) -> Request:
    """A request whose body comes in parts, each after some seconds."""
    coming = iter(parts)

    async def receive() -> Any:
        seconds, part = next(coming, (math.inf, b""))
        await asyncio.sleep(min(seconds, 60))
        return {"type": "http.request", "body": part, "more_body": True}

    headers = [(b"content-length", str(length).encode())]
    return Request({"type": "http", "headers": headers}, receive)


async def refused(bodies: entry.Bodies, request: Request, address: str = "a") -> int:
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


# ------------------------------------------------------------------ what is kept, what is told


@given(st.lists(st.tuples(st.binary(max_size=40), st.binary(max_size=400)), max_size=40))
def test_what_is_kept_never_grows_beyond_its_bytes(entries):
    kept = Kept(3000)
    for key, answer in entries:
        kept.put(key, answer)
        assert kept.size <= 3000
        assert kept.get(key) == answer
        assert kept.size == sum(len(k) + len(v) + 300 for k, v in kept._answers.items())


async def test_numbers_are_gathered_once_for_all_who_ask(monkeypatch):
    gathered: list[int] = []
    monkeypatch.setattr(server, "generate_latest", lambda _: gathered.append(1) or b"told")
    nothing: Any = SimpleNamespace()
    told = server.Metrics.__new__(server.Metrics)
    told._registry, told._told, told._asked = nothing, None, 0.0
    assert set(await asyncio.gather(*(told.text() for _ in range(50)))) == {b"told"}
    assert await told.text() == b"told"
    assert len(gathered) == 1
    monkeypatch.setattr(server, "_FRESH", 0.0)
    await told.text()
    assert len(gathered) == 2
