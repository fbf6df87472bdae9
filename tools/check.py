"""Check a change before it is committed, in under a minute: ``make check``.

Style, types and import rules; the tests that the change concerns, the nearest first, as many as
fit into their time; and one page that it concerns, built and opened in a browser. What was
chosen, why, and what was left to ``make test``, is printed.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import chosen
import concerned
import durations

from explorable import sources
from explorable.sphinx import run as records

ROOT = concerned.ROOT
# Half a minute of tests leaves time for what is around them.
SECONDS = 25.0
# No more files than this are collected; each costs the time of its imports.
FILES = 12
PYTHON = sys.executable


@dataclass
class Step:
    """Something to run, and how it ended."""

    name: str
    command: Sequence[str]
    failed: bool = False

    def run(self) -> bool:
        """Run it, print how it went, what it said if it failed, and return whether it passed."""
        began = time.perf_counter()
        paths = [str(ROOT), str(ROOT / "tools"), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        done = subprocess.run(
            self.command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        self.failed = done.returncode != 0
        told = done.stdout + done.stderr if self.failed else ""
        verdict = "FAILED" if self.failed else "passed"
        spent = time.perf_counter() - began
        print(f"{verdict}  {self.name}, {spent:.0f} s\n{told}".rstrip(), flush=True)
        return not self.failed


def in_turn(independent: Sequence[Step], chain: Sequence[Step] = ()) -> list[Step]:
    """Run steps one after another; of the last ones none after one that failed."""
    done = list(independent)
    for step in independent:
        step.run()
    for step in chain:
        done.append(step)
        if not step.run():
            break
    return done


def style(changes: Sequence[str]) -> list[Step]:
    """Return what is always asked: style, prose, sources, types, import rules."""
    module = (PYTHON, "-m")
    steps = [
        Step("style", (*module, "ruff", "check", "--quiet", ".")),
        Step("format", (*module, "ruff", "format", "--check", ".")),
        Step("prose", (PYTHON, "tools/prose.py")),
        Step("sources", (PYTHON, "tools/reviewed.py")),
        Step("parameters", (PYTHON, "tools/parameters.py")),
        Step("import rules", (str(Path(PYTHON).with_name("lint-imports")), "--no-logo")),
        Step("types", (*module, "mypy")),
    ]
    if any(change.endswith((".js", ".d.ts")) for change in changes):
        steps.append(Step("scripts", (PYTHON, "tools/javascript.py")))
    return steps


def told(far: int) -> str:
    """Say how far something is from the change."""
    return "changed itself" if far == 0 else f"{far} step{'s' * (far > 1)} away"


def of_all(files: dict[str, int]) -> list[str]:
    """Choose the files of tests to collect: the nearest, of those of a kind the quickest."""
    spent: Counter[str] = Counter()
    for nodeid, seconds in durations.load(ROOT).items():
        spent[nodeid.partition("::")[0]] += seconds
    order = sorted(files, key=lambda name: (files[name], spent[name]))
    taken, total = order[:1], spent[order[0]]
    for name in order[1:FILES]:
        if total > SECONDS:
            break
        taken.append(name)
        total += spent[name]
    return taken


def nearest_page(pages: dict[str, int]) -> str | None:
    """Choose a page: the nearest, of several the one that was executed fastest."""
    known = {n: r.seconds for n, r in records.load_records(ROOT / records.CACHE).items()}
    order = sorted(pages, key=lambda name: (pages[name], known.get(name, 60.0)))
    return order[0] if order else None


def choose(changes: Sequence[str], folder: Path) -> tuple[list[Step], list[Step], Path]:
    """Choose tests and a page, print why, and return both as steps, and the file of the choice."""
    files, pages = concerned.tests(changes), concerned.pages(changes)
    page, path = nearest_page(pages), folder / "choice.json"
    tests, browser = [], []
    if files:
        taken = of_all(files)
        print(f"{len(files)} files of tests can reach it; of these, the nearest:")
        for name in taken:
            print(f"  {name}: {told(files[name])}")
        choice = {"files": files, "words": concerned.words(changes, page), "seconds": SECONDS}
        path.write_text(json.dumps(choice), encoding="utf-8")
        pytest = (PYTHON, "-m", "pytest", "-q", "-x", "-p", "chosen", *taken)
        tests.append(Step("tests", pytest))
        if len(files) > len(taken):
            print(f"  left to `make test`: {len(files) - len(taken)} files further away")
    if page:
        print(f"{len(pages)} pages can reach it; the nearest: {page}, {told(pages[page])}")
        browser.append(Step(f"page {page}", (PYTHON, "-m", "mipbook", "page", page)))
        test = f"tests/browser/test_visit.py::test_a_visit[{page}]"
        command = (PYTHON, "-m", "pytest", "-q", "--as-built", test)
        browser.append(Step("the page in a browser", command))
    return tests, browser, path


def main() -> None:
    """Check what differs from the last commit; leave with an error if anything failed."""
    if not Path(sources.__file__).is_relative_to(ROOT):
        sys.exit(f"make check: {sys.executable} loads the package of another folder; see `make`")
    began, changes = time.perf_counter(), concerned.changed()
    print(f"{len(changes)} files differ from the last commit" + ":" * bool(changes))
    print("".join(f"  {change}\n" for change in changes), end="")
    with tempfile.TemporaryDirectory() as folder:
        tests, browser, path = choose(changes, Path(folder))
        os.environ[chosen.CHOICE] = str(path)
        print(flush=True)
        # Two lanes: while types are checked, tests run; each lane keeps about one core busy.
        with ThreadPoolExecutor(2) as pool:
            lanes = [pool.submit(in_turn, style(changes), browser), pool.submit(in_turn, tests)]
            done = [step for lane in lanes for step in lane.result()]
        late = json.loads(path.read_text(encoding="utf-8")).get("late") if tests else []
    if late:
        print(f"left to `make test`, for they take longer than {SECONDS:g} s: {len(late)} tests")
        shown = Counter(nodeid.partition("::")[0] for nodeid in late)
        print("".join(f"  {name}: {count}\n" for name, count in shown.items()), end="")
    print(f"\n{time.perf_counter() - began:.0f} s in all")
    if any(step.failed for step in done):
        sys.exit("make check: not ready to be committed; what failed stands above")


if __name__ == "__main__":
    main()
