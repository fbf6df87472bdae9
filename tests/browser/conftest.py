"""The browser, the built book, and the running apps."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

CANDIDATES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


def chromium() -> str:
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, CANDIDATES)), None)
    found = found or next((place for place in PLACES if Path(place).is_file()), None)
    if found is None:
        # Never a skip: an untested page must not look tested.
        pytest.fail(
            "No browser found. Install one (apt-get install chromium) or name one in CHROMIUM.",
            pytrace=False,
        )
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    arguments = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=arguments)
        yield running
        running.close()


@pytest.fixture(scope="session")
def built_book() -> Path:
    """The built book; built now if it is missing or older than its sources."""
    html = ROOT / "_build" / "html"
    first = html / "book" / "index.html"
    sources = [
        path
        for folder in ("book", "mipbook")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".md", ".ipynb", ".py", ".js", ".css", ".csv", ".bib"}
        and ".ipynb_checkpoints" not in path.parts
    ]
    newest = max(
        path.stat().st_mtime for path in [*sources, ROOT / "_config.yml", ROOT / "_toc.yml"]
    )
    if not first.is_file() or first.stat().st_mtime < newest:
        done = subprocess.run(
            [sys.executable, "-m", "mipbook.build"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (
            f"the book does not build:\n{(done.stdout + done.stderr)[-6000:]}"
        )
    return html


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class AppProcess:
    """``python -m mipbook.apps`` on a free port."""

    def __init__(self, folder: Path, log: Path) -> None:
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        self.log = log
        command = [sys.executable, "-m", "mipbook.apps", str(folder), "--no-browser"]
        environment = {k: v for k, v in os.environ.items() if k != "MIPBOOK_STATIC"}
        environment["PYTHONPATH"] = os.pathsep.join(
            [str(Path(__file__).parent), environment.get("PYTHONPATH", "")]
        )
        with log.open("w") as stream:
            self.process = subprocess.Popen(
                [*command, "--port", str(self.port)],
                cwd=ROOT,
                stdout=stream,
                stderr=stream,
                env=environment,
            )

    def wait(self) -> None:
        for _ in range(300):
            try:
                with urllib.request.urlopen(self.url, timeout=5):
                    return
            except (urllib.error.URLError, ConnectionError):
                assert self.process.poll() is None, self.log.read_text()
                time.sleep(0.2)
        raise AssertionError(f"the apps did not start:\n{self.log.read_text()}")

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="session")
def apps(tmp_path_factory: pytest.TempPathFactory, built_book: Path) -> Iterator[AppProcess]:
    """The book's own apps, served as a reader would serve them."""
    process = AppProcess(ROOT / "book" / "apps", tmp_path_factory.mktemp("apps") / "log")
    try:
        process.wait()
        yield process
    finally:
        process.stop()
