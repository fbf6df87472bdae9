"""A visitor without a browser: http by hand; and the panel that is visited."""

import contextlib
import gzip
import http.client
import json
import re
import time
from typing import NamedTuple
from urllib.parse import urlsplit

import psutil

from explorable.panels.static import PLOTLY

# A panel; each stop does what a move may do to its worker.
PANEL = """import os, time
import plotly.graph_objects as go
from explorable.panels import Choice, Explorable, File, Slider, UploadedFile

SEEN = []

def fine(): return "fine"
def dies(): os._exit(1)
def fills(): bytearray(20 * 2**30)
def loops():
    while True: pass
def hangs(): 7 ** 10 ** 9
def fails(): raise RuntimeError("in " + os.getcwd() + "x" * 1000)
def sleeps(): time.sleep(0.6)
DOES = [fine, dies, fills, loops, hangs, fails, sleeps]
NAMES = [one.__name__ for one in DOES]

def dial(does, n, file):
    if isinstance(file, UploadedFile):
        SEEN.append(file.text)
    DOES[NAMES.index(does)]()
    told = {"pid": os.getpid(), "nice": os.getpriority(os.PRIO_PROCESS, 0), "seen": len(SEEN)}
    said = file.text if isinstance(file, UploadedFile) else "<b>&amp;" * 200
    return go.Figure(layout={"meta": {"sentence": said, **told}})

Explorable(dial, does=Choice(NAMES), n=Slider(0, 10**6), file=File(["one", "two"], limit=10**6))"""
DIAL, CHAPTER = "/figure/dial/dial", "/book/book/game/chapter.html"
HEAD = f"POST {DIAL} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
FILE = {"name": "a.csv", "text": "4711,4712", "columns": {}}

_SPEC = re.compile(r'<script type="application/json" class="mb-spec">(.*?)</script>', re.DOTALL)
_FILE = re.compile(r'(?:src|href)="\.\.(/static/[^"]+)"')


class Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self):
        packed = self.body[:2] == b"\x1f\x8b"
        return (gzip.decompress(self.body) if packed else self.body).decode()

    @property
    def json(self):
        return json.loads(self.text)

    @property
    def meta(self):
        return self.json["figure"]["layout"]["meta"]


def ask(server, path, method="GET", body=None, source="", **headers):
    """Ask for an address below the server's base; no redirect is followed."""
    address = urlsplit(server.url)
    own = (source, 0) if source else None
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=60, source_address=own)
    with contextlib.closing(connection):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, address.path + path, body, named)
        reply = connection.getresponse()
        return Reply(reply.status, reply.headers, reply.read())


def post(server, body, path=DIAL, **headers):
    """Ask for a figure; the body is JSON, unless it is bytes already."""
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return ask(server, path, "POST", sent, **{"Content_Type": "application/json", **headers})


def works(server):
    """The next visitor is answered, and soon."""
    start = time.monotonic()
    assert "sentence" in post(server, {"n": time.monotonic_ns() % 10**6}).meta
    assert time.monotonic() - start < 10


def family(server):
    """Return all processes that a server has started."""
    return psutil.Process(server.process.pid).children(recursive=True)


def workers(server):
    """Return those that compute: children of what they are copied from."""
    own = psutil.Process(server.process.pid)
    return [worker for child in own.children() for worker in child.children()]


def wait_for(condition, seconds, what):
    """Wait until something holds."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < seconds, what
        time.sleep(0.1)


def specs_of(text):
    """Return the panels of an app's page by name."""
    return {spec["id"]: spec for spec in map(json.loads, _SPEC.findall(text))}


def files_of(text):
    """Return the files that an app's page loads; its script loads the plotting script beside it."""
    files = _FILE.findall(text)
    (script,) = (name for name in files if name.endswith("/explorable.js"))
    return [*files, script.replace("explorable.js", f"vendor/{PLOTLY.name}")]
