"""What hostile visitors do beside honest ones, in a process of its own: `test_load` starts it.

Each kind has a thread of its own.  All of it goes to a server on this machine, at a bounded pace,
and ends with the clock.
"""

import contextlib
import itertools
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

# Between two blows of one kind.
PAUSE = 0.05
MOST_OPEN = 200
SOURCES = [f"127.0.0.{k}" for k in (2, 3, 4)]
PANEL = "/figure/attack/attack-counts"


def head(path: str = PANEL, *lines: str) -> bytes:
    method = "POST" if path.startswith("/figure") else "GET"
    told = [f"{method} {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    return "\r\n".join([*told, *lines, "", ""]).encode("utf-8", "replace")


def with_body(body: bytes, path: str = PANEL) -> bytes:
    return head(path, f"Content-Length: {len(body)}") + body


def deep() -> Iterator[bytes]:
    """Values so deep that to pickle them breaks a thread."""
    for depth in itertools.cycle([6, 200, 600, 950, 5000]):
        yield with_body(b'{"zz":%s%s}' % (b"[" * depth, b"]" * depth))


def strange() -> Iterator[bytes]:
    """Controls that are none, texts without end, other encodings."""
    for k in itertools.count():
        yield with_body(f'{{"zz{k}": "{"é" * 2000}"}}'.encode())
        yield with_body(b'{"tp": "%s"}' % (b"x" * 1_000_000))
        yield with_body(b'{"tp": 1e999, "fp": NaN}')


def silent() -> Iterator[bytes]:
    """Uploads that never come, half heads, nothing at all."""
    while True:
        yield head("/figure/audit-scores/score-audit", "Content-Length: 8000000") + b"{"
        yield b"POST / HTTP/1.1\r\nHo"
        yield b""


def smuggled() -> Iterator[bytes]:
    """One request to whom believes the length, another to whom obeys the chunks."""
    both = head(PANEL, "Content-Length: 12", "Transfer-Encoding: chunked")
    while True:
        yield both + b"fffff\r\n" + b"x" * 0xFFFFF
        yield head(PANEL, "Content-Length: 1", "Content-Length: 2") + b"{}"


def names() -> Iterator[bytes]:
    """Files that cannot be, numbers that cost, figures on demand."""
    paths = ("/book/%00", "/book/" + "a" * 300, "/metrics", "/healthz", "/book/../../etc/passwd")
    for path in itertools.cycle(paths):
        yield head(path)


def greedy() -> Iterator[bytes]:
    """Large files that are none, from many pages."""
    text = "1," * 400_000
    for k in itertools.count():
        told = f'{{"file": {{"name": "{k}", "text": "{text}"}}}}'
        yield with_body(told.encode(), "/figure/audit-scores/score-audit")


KINDS: tuple[Callable[[], Iterator[bytes]], ...] = (deep, strange, silent, smuggled, names, greedy)


class Attacker(threading.Thread):
    """Sends one kind again and again, and keeps its connections open as long as it may."""

    def __init__(self, port: int, kind: Callable[[], Iterator[bytes]], until: float) -> None:
        super().__init__(daemon=True)
        self.port, self.kind, self.until, self.blows = port, kind, until, 0

    def run(self) -> None:
        """Attack until the time is over."""
        coins, held = random.Random(self.kind.__name__), list[socket.socket]()
        for blow in self.kind():
            if time.monotonic() > self.until:
                break
            if len(held) >= MOST_OPEN:
                held.pop(0).close()
            with contextlib.suppress(OSError):
                address = ("127.0.0.1", self.port)
                source = (coins.choice(SOURCES), 0)
                held.append(socket.create_connection(address, 2, source_address=source))
                held[-1].sendall(blow)
                self.blows += 1
            time.sleep(PAUSE)
        for connection in held:
            connection.close()


def attack(port: int, seconds: float) -> subprocess.Popen[str]:
    """Begin with all kinds at once, in a process of its own, which tells the number of blows."""
    command = [sys.executable, __file__, str(port), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def clean(folder: Path) -> None:
    """Empty a temporary folder, as a machine does at night."""
    for path in sorted(folder.rglob("*"), reverse=True):
        with contextlib.suppress(OSError):
            path.rmdir() if path.is_dir() else path.unlink()


def main(port: int, seconds: float) -> None:
    """Attack a port of this machine for so many seconds."""
    attackers = [Attacker(port, kind, time.monotonic() + seconds) for kind in KINDS]
    for attacker in attackers:
        attacker.start()
    for attacker in attackers:
        attacker.join()
    print(", ".join(f"{a.kind.__name__} {a.blows}" for a in attackers))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
