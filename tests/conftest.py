"""Settings for all tests, and how ``pytest -n auto`` shares them between processes."""

import gc
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import changed
import durations
import pytest
import samples
from filelock import FileLock
from hypothesis import settings
from shared import ROOT

from explorable import threads
from explorable.sphinx.build import GRAMMARS, is_current

# The same examples on every machine and every run; slow shared machines get no deadline.
settings.register_profile("mipbook", deadline=None, derandomize=True, max_examples=60)
# Enough to pass through the code; to find what is wrong with it takes more.
settings.register_profile("few", parent=settings.get_profile("mipbook"), max_examples=3)
settings.load_profile("mipbook")

pytest_plugins = ["whole_run"]

SECONDS, CHANGED = "mipbook-seconds", "mipbook-changed"

# The workers keep the cores busy; threads of theirs would only take turns. The kernels, the
# servers and the build inherit it; what is loaded in this process already is told apart.
threads.single()
sys.modules.setdefault(GRAMMARS, None)  # type: ignore[arg-type]
ONE_THREAD = threads.one()


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "open the pages of the book as they were built, also if the sources are newer"
    parser.addoption("--all", action="store_true", help="also what is tried by night and before a release")
    parser.addoption("--as-built", action="store_true", help=told)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """One worker for each core that may be used; each has a browser, so not too many."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    affinity = getattr(os, "sched_getaffinity", None)
    return min(len(affinity(0)) if affinity else os.cpu_count() or 1, 8)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out groups in their order; xdist's own loadgroup does not group under pytest 9.2."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return durations.group(nodeid)

    if config.getoption("dist") != "load":
        return None
    config.option.loadscopereorder = False
    return Groups(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give each process what tests took when they last ran here, and what the change concerns."""
    node.workerinput[SECONDS] = durations.load(node.config.rootpath)
    node.workerinput[CHANGED] = changed.found()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what is for the night, and put the longest first, that which needs the built book last.

    While one process builds it, servers wait more than they work; the pages, small groups, fill the gaps.
    """
    leave_for_the_night(config, items)
    # All processes must agree on the order, so the first one tells the others what it knows.
    given = getattr(config, "workerinput", {}).get(SECONDS)
    seconds, elsewhere = Counter[str](), durations.elsewhere(config.rootpath)
    for nodeid, spent in (durations.load(config.rootpath) if given is None else given).items():
        seconds[durations.group(nodeid)] += spent

    def turn(item: pytest.Item) -> tuple[int, float, str]:
        fixtures, own = getattr(item, "fixturenames", ()), durations.group(item.nodeid)
        stage = 1 if item.path.parent.name == "serving" else 2
        if "built_book" in fixtures:
            stage = 3 if "apps" in fixtures else 4
        if own.endswith(f"[{durations.FIRST_PAGE}]"):
            stage = 0
        return stage, -(seconds[own] or elsewhere.get(own, 0.0)), own

    items.sort(key=turn)


def all_is_asked(config: pytest.Config) -> bool:
    """Say whether a run is by night, or names what it is about."""
    return config.getoption("all") or any(".py" in str(arg) for arg in config.args)


def leave_for_the_night(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect, never skip, what is marked, unless all is asked, or its file, or the change concerns it."""
    if all_is_asked(config):
        return
    starts, new = ("", "book/", "book/apps/"), changed_for(config)
    pages = {page.removeprefix(start) for page in new["pages"] for start in starts}
    names = [re.escape(f"{file}::") for file in new["tests"]] + [rf"\.{name}\]" for name in new["functions"]]
    # A page, its source, or the page on a screen; not the page of its record.
    near = re.compile("|".join([rf"\[({'|'.join(map(re.escape, pages))})(\.\w+|-phone|-laptop)?\]$", *names]))
    left = [i for i in items if i.get_closest_marker("nightly") and not near.search(i.nodeid)]
    gone = set(left)
    items[:] = [item for item in items if item not in gone]
    config.hook.pytest_deselected(items=left)


def changed_for(config: pytest.Config) -> dict[str, list[str]]:
    """Return the pages and the files of tests that the change concerns, as the first process found them."""
    return getattr(config, "workerinput", {}).get(CHANGED) or changed.found()


def pytest_collection_finish() -> None:
    """Look no more for garbage in what was collected: it stays, and takes long to look through."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def built_book(request: pytest.FixtureRequest) -> Path:
    """The built book; built now if it is missing or older than its sources.

    Of several test processes one builds, and the others wait for it.
    """
    build = ROOT / "_build"
    build.mkdir(exist_ok=True)
    with FileLock(build / "tests.lock"):
        if not request.config.getoption("as_built") and not is_current(ROOT):
            command = [sys.executable, "-m", "mipbook", "build"]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            said = (done.stdout + done.stderr)[-6000:]
            assert done.returncode == 0, f"the book does not build:\n{said}"
    return build / "html"


@pytest.fixture
def in_all_ways(request: pytest.FixtureRequest) -> Callable[[str], bool]:
    """Return what says whether a page is tried in every way: by night, or where it changed."""
    config = request.config
    return lambda page: all_is_asked(config) or page in changed_for(config)["pages"]


@pytest.fixture
def tried(in_all_ways: Callable[[str], bool], built_book: Path) -> Callable[[str, str], set[str]]:
    """Return what names the things of a page that are tried: by day the first of each kind.

    By night, and where the page changed, these are all.
    """

    def of(way: str, page: str) -> set[str]:
        if in_all_ways(page):
            return samples.named(way, built_book, page)
        return samples.by_day(way, built_book, page)

    return of
