"""What holds for a run as a whole: a browser, where a test needs one, and no test left out unseen."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import browser as finder
import durations
import pytest

NEEDS_BROWSER = "tests/browser/"
LEFT = "mipbook-left-for-the-night"


class WholeRun:
    """Count the tests that were collected, that ran, and that were skipped."""

    def __init__(self, config: pytest.Config) -> None:
        self.only_list = config.getoption("collectonly")
        self.known: set[str] = set()
        self.ran: set[str] = set()
        self.skipped: set[str] = set()
        self.left: set[str] = set()
        self.seconds: Counter[str] = Counter()

    def collected(self, ids: Sequence[str]) -> None:
        first = not self.known
        self.known.update(ids)
        if first and not self.only_list and any(x.startswith(NEEDS_BROWSER) for x in ids):
            try:
                finder.find()
            except finder.NoBrowser as none:
                pytest.exit(str(none), returncode=2)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.collected([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        self.collected(ids)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self.left |= for_the_night(items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        self.left |= set(getattr(node, "workeroutput", {}).get(LEFT, ()))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.skipped.add(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.skipped:
            self.skipped.add(report.nodeid)
        elif report.when == "call" or report.failed:
            self.ran.add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        durations.remember(session.config.rootpath, self.seconds)
        whole = self.ran == self.known and not self.skipped
        if exitstatus == pytest.ExitCode.OK and not whole and not self.only_list:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.only_list:
            opened = sum(x.startswith(NEEDS_BROWSER) for x in self.ran)
            told = f"{len(self.ran)} of {len(self.known)} tests ran, {opened} in a browser, "
            terminalreporter.write_line(f"{told}{len(self.skipped)} were skipped")
            if self.left:
                terminalreporter.write_line(f"{len(self.left)} are left to make test-all")


def for_the_night(items: Sequence[pytest.Item]) -> set[str]:
    return {item.nodeid for item in items if item.get_closest_marker("nightly")}


class Worker:
    """Tell the first process what was left for the night."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.told = told

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self.told[LEFT] = sorted({*self.told.get(LEFT, ()), *for_the_night(items)})


def pytest_configure(config: pytest.Config) -> None:
    # With xdist the first process sees it all; its workers only run what they are given.
    counts = Worker(config.workeroutput) if hasattr(config, "workerinput") else WholeRun(config)
    config.pluginmanager.register(counts, "whole-run")
