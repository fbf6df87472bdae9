"""A site of one page beside which Python lies, as `python -m mipbook lite` puts it there.

NumPy for browsers comes from a host that no test asks, so a stub lies there, and the figures are
plain Python.
"""

import json
import shutil
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from shared import ROOT

from explorable.outputs import files
from explorable.outputs.files import embed_pages
from explorable.outputs.lite_python import Sources, engine
from explorable.outputs.lite_wheels import Wheel
from explorable.panels import Explorable
from explorable.panels.static import ASSETS, PLOTLY, asset, plotly_source

PREFIX = "some/book"


def wheel(folder: Path, name: str, version: str, files: dict[str, str]) -> Wheel:
    """Write a wheel of plain Python."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    told = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    info = {"METADATA": told, "WHEEL": tags, "RECORD": ""}
    files |= {f"{name}-{version}.dist-info/{inside}": text for inside, text in info.items()}
    with zipfile.ZipFile(path, "w") as file:
        for inside, text in files.items():
            file.writestr(inside, text)
    return Wheel(path)


def numpy_stub(folder: Path) -> Wheel:
    """Write what stands in for NumPy, as its wheel."""
    text = Path(__file__).with_name("lite_numpy_stub.py").read_text("utf-8")
    typing = "NDArray = dict\nArrayLike = object\n"
    files = {"numpy/__init__.py": text, "numpy/typing.py": typing}
    return wheel(folder, "numpy", "2.4.6", files)


def write_static(html: Path) -> None:
    """Write the scripts and the faces that the pages of a book load."""
    static = html / "_static"
    (static / "vendor").mkdir(parents=True)
    (static / "vendor" / PLOTLY.name).write_bytes(plotly_source())
    shutil.copytree(files.FONTS, static / "vendor" / "fonts")
    for name in ASSETS:
        (static / name).write_text(asset(name), encoding="utf-8")


def write_site(html: Path, panels: list[Explorable]) -> None:
    """Write the page, its scripts and, below ``lite``, Python with the figures' own module."""
    write_static(html)
    made = html.parent / "made"
    made.mkdir()
    figures = Path(__file__).with_name("here_figures.py").read_text("utf-8")
    # In SciPy's place, which no figure of these tests needs, the figures themselves.
    more = [numpy_stub(made), wheel(made, "scipy", "1.18.0", {"here_figures.py": figures})]
    engine(ROOT, html / "lite", ROOT / "_build" / ".lite", Sources(bare=True), more)
    lock = html / files.HERE_FOLDER / files.LOCK
    told = json.loads(lock.read_text("utf-8"))
    # Such a site is offered to nobody; here its figures need none of what is missing.
    assert files.engine_here(html) is None
    assert "scikit-learn" in told.pop("missing")
    lock.write_text(json.dumps(told), "utf-8")
    files.list_here(html)
    body = "".join(panel.html() for panel in panels)
    page = embed_pages(body)[panels[0].name].replace("../", "").replace(" mb-embed", "")
    head, rest = page.split("<main>")
    script = f'<link rel="icon" href="data:,"><script src="_static/{files.HERE_LIST}"></script></head>'
    text = f"{head.replace('</head>', script)}<main>{body}</main>{rest.split('</main>')[1]}"
    (html / "page.html").write_text(text, encoding="utf-8")


class Asked(ThreadingHTTPServer):
    """A server on this machine that remembers what it was asked."""

    def __init__(self, folder: Path) -> None:
        self.paths: list[str] = []
        handler = partial(_Quiet, directory=str(folder))
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Quiet(SimpleHTTPRequestHandler):
    server: Asked

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        super().do_GET()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[Asked]:
    """Serve a folder on this machine."""
    server = Asked(folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
