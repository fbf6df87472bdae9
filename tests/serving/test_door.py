"""As many visitors as there is room for; the others are told so, and kindly."""

from __future__ import annotations

import re
import threading
import time

import psutil
import pytest
from server import Served
from wire import Reply, Visitor, ask, kernel_of, open_page, wait_for

from explorable.serve.serving import options

MOST = 3


@pytest.fixture(scope="module")
def server(serve) -> Served:
    return serve("--max-visitors", str(MOST), "--max-starting", "1", "--unclaimed", "4")


def together(count: int, *arguments, **headers) -> list[Reply]:
    replies: list[Reply] = []
    threads = [
        threading.Thread(target=lambda: replies.append(open_page(*arguments, **headers)))
        for _ in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return replies


def kernels(server: Served) -> int:
    return len(psutil.Process(server.process.pid).children(recursive=True))


def emptied(server: Served) -> None:
    wait_for(lambda: kernels(server) == 0, 30, "kernels are left")


def test_no_more_kernels_than_places_and_a_kind_page(server):
    emptied(server)
    replies = together(8, server)
    assert sorted(reply.status for reply in replies) == [200] * MOST + [503] * (8 - MOST)
    assert kernels(server) <= MOST
    full = next(reply for reply in replies if reply.status == 503)
    assert int(full.headers["Retry-After"]) > 0
    assert re.search(r'<meta http-equiv="refresh" content="\d+">', full.text)
    assert "All places are taken" in full.text
    assert "Traceback" not in full.text
    # The front page and the book have room for all.
    assert ask(server, "/").status == 200


def test_a_place_is_free_again_when_someone_leaves(server):
    emptied(server)
    visitors = [Visitor(server) for _ in range(MOST)]
    assert open_page(server).status == 503
    assert ask(server, f"/voila/api/shutdown/{visitors[0].kernel}", "POST").status == 204
    assert open_page(server).status == 200
    for visitor in visitors[1:]:
        ask(server, f"/voila/api/shutdown/{visitor.kernel}", "POST")


def test_who_gives_up_while_waiting_takes_no_place(server):
    emptied(server)
    slow = threading.Thread(target=lambda: open_page(server, "slow.ipynb"))
    slow.start()
    time.sleep(0.5)
    with pytest.raises(TimeoutError):
        open_page(server, timeout=0.5)
    slow.join()
    time.sleep(2)
    assert kernels(server) == 1
    assert len(re.findall("Kernel started", server.log.read_text())) >= 1


def test_who_gives_up_while_it_starts_leaves_no_kernel(server):
    emptied(server)
    with pytest.raises(TimeoutError):
        open_page(server, "slow.ipynb", timeout=1.5)
    start = time.monotonic()
    wait_for(lambda: kernels(server) == 1, 5, "no kernel was started")
    emptied(server)
    # Sooner than an unclaimed one: nobody has the page.
    assert time.monotonic() - start < 4 + 4


def test_a_wait_has_an_end(serve):
    server = serve("--max-starting", "1", "--max-wait", "1")
    slow = threading.Thread(target=lambda: open_page(server, "slow.ipynb"))
    slow.start()
    time.sleep(1)
    start = time.monotonic()
    assert open_page(server).status == 503
    assert 0.5 < time.monotonic() - start < 3
    slow.join()


def test_a_kernel_that_dies_while_the_page_is_made_blocks_nobody(server):
    emptied(server)
    for _ in range(2):
        page = open_page(server, "dies.ipynb", timeout=60)
        assert page.status == 200
        assert "Traceback" not in page.text
    emptied(server)
    assert open_page(server).status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Dest": "image", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Dest": "empty", "Sec-Fetch-Site": "same-origin"}, 403),
        ({"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Dest": "document", "Sec-Purpose": "prefetch"}, 403),
        ({"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "cross-site"}, 200),
        ({"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "same-origin"}, 200),
    ],
)
def test_only_a_reader_starts_a_kernel(server, headers, status):
    emptied(server)
    assert open_page(server, **headers).status == status
    assert kernels(server) == (status == 200)


def test_a_named_site_may_frame_an_app(serve):
    server = serve("--frame-ancestors", "https://moodle.example.org")
    page = open_page(server, **{"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "cross-site"})
    assert page.status == 200
    assert "frame-ancestors https://moodle.example.org" in page.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in page.headers


@pytest.mark.parametrize("query", ["?a=%00", "?" + "x" * 20_000, "?a=%ff&template=../x&theme=y"])
def test_a_strange_query_breaks_nothing(server, query):
    emptied(server)
    page = open_page(server, f"dial.ipynb{query}")
    assert page.status == 200
    assert kernel_of(page)


def test_visitors_that_fit_follow_the_memory(monkeypatch):
    class Free:
        available = 150 * 2**20 * 7.5

    monkeypatch.setattr(options.psutil, "virtual_memory", Free)
    monkeypatch.setattr(options, "_memory_limit", lambda: float("inf"))
    assert options.visitors_that_fit() == 7
    monkeypatch.setattr(options, "_memory_limit", lambda: 450 * 2**20)
    assert options.visitors_that_fit() == 3
    Free.available = 2**40
    monkeypatch.setattr(options, "_memory_limit", lambda: float("inf"))
    assert options.visitors_that_fit() == 40
