"""A site of one page beside which Python lies, with a stub in the place of NumPy."""

import functools
import http.server
import json
import shutil
import zipfile
from contextlib import contextmanager
from pathlib import Path

from rehearse import hosting
from shared import ROOT

from explorable.outputs import files
from explorable.outputs.files import embed_pages
from explorable.outputs.lite_python import Sources, Wheel, engine
from explorable.panels import Explorable
from explorable.panels.static import ASSETS, PLOTLY, asset

PREFIX = "some/book"
HERE = Path(__file__).parent


def wheel(folder: Path, name: str, version: str, files: dict[str, str]) -> Wheel:
    """Write a wheel of plain Python."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as file:
        for inside, text in (files | {f"{name}-{version}.dist-info/{k}": t for k, t in info.items()}).items():
            file.writestr(inside, text)
    return Wheel(path)


def write_static(html: Path) -> None:
    """Write the scripts and the faces that the pages of a book load."""
    vendor = html / "_static" / "vendor"
    shutil.copytree(files.FONTS, vendor / "fonts")
    (vendor / PLOTLY.name).write_bytes(PLOTLY.read_bytes())
    for name in ASSETS:
        (html / "_static" / name).write_text(asset(name), encoding="utf-8")


def write_site(html: Path, panels: list[Explorable]) -> None:
    """Write the page, its scripts and, below ``lite``, Python with the figures' own module."""
    write_static(html)
    made = html.parent / "made"
    made.mkdir()
    stub, figures = ((HERE / f"{name}.py").read_text("utf-8") for name in ("lite_numpy_stub", "here_figures"))
    typing = "NDArray = dict\nArrayLike = object\n"
    more = [
        wheel(made, "numpy", "2.4.6", {"numpy/__init__.py": stub, "numpy/typing.py": typing}),
        # In SciPy's place, which no figure of these tests needs, the figures themselves.
        wheel(made, "scipy", "1.18.0", {"here_figures.py": figures}),
    ]
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


@contextmanager
def served(folder: Path):
    """Serve a folder on this machine; return its address, and what is asked of it."""
    asked: list[str] = []

    class Noting(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            asked.append(self.path)

    with hosting(functools.partial(Noting, directory=str(folder))) as url:
        yield url, asked
