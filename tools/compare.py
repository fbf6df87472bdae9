"""Compare the speed of two versions: ``python tools/compare.py OLD [NEW]``.

Both run the same benchmarks, those of this folder, in turns on this machine. A ratio is new over
old, of the best times; its spread is that of the single pairs. Times are the processor's, except
for a redraw in a browser. NEW is this folder as it stands, unless a commit is named.
"""

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = Path("tests", "benchmarks")
RATIOS = ROOT / BENCHMARKS / "ratios.csv"
SETTINGS = "[pytest]\npython_files = bench_*.py\npython_functions = bench_*\n"
COLUMNS = ("old", "new", "benchmark", "ratio", "low", "high")
Times = dict[str, float]


@dataclass(frozen=True)
class Ratio:
    """New over old: of the best times, and the least and the largest of the pairs."""

    benchmark: str
    ratio: float
    low: float
    high: float


def ratios(old: Sequence[Times], new: Sequence[Times]) -> list[Ratio]:
    """Compare the best times of pairs of runs, for what both versions can run."""
    found = []
    for name in new[0]:
        both = zip(old, new, strict=True)
        pairs = [(a[name], b[name]) for a, b in both if name in a and name in b]
        if pairs:
            single = [b / a for a, b in pairs]
            best = min(b for _, b in pairs) / min(a for a, _ in pairs)
            found.append(Ratio(name, best, min(single), max(single)))
    return found


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"compare: git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


@contextmanager
def tree(commit: str | None, folder: Path) -> Iterator[Path]:
    """Give a version's files: this folder, or a worktree of a commit."""
    if commit is None:
        yield ROOT
        return
    git("worktree", "add", "--detach", str(folder), commit)
    try:
        yield folder
    finally:
        git("worktree", "remove", "--force", str(folder))


def measure(version: Path, benchmarks: Path, only: str) -> Times:
    """Run the benchmarks on a version in a process of its own, and return the best times."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "report.json"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(benchmarks)]
        command += ["--rootdir", str(benchmarks), "-c", str(benchmarks / "pytest.ini"), "-k", only]
        command += ["--benchmark-json", str(report), "--benchmark-disable-gc"]
        command += ["--benchmark-max-time=0.5", "--benchmark-min-rounds=3"]
        # A run of tests around this one would switch the benchmarks off.
        outer = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        environment = {**outer, "PYTHONPATH": str(version), "MIPBOOK_TREE": str(version)}
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            environment[name] = "1"
        # What a version does not have yet fails in it, and is left out.
        subprocess.run(command, cwd=place, env=environment, check=False, capture_output=True, text=True)
        if not report.is_file() or not report.stat().st_size:
            return {}
        told = json.loads(report.read_text(encoding="utf-8"))["benchmarks"]
    return {run["name"].removeprefix("bench_"): run["stats"]["min"] for run in told}


def save(old: str, new: str, found: Sequence[Ratio]) -> None:
    """Add a comparison to the file that the page of speed shows."""
    fresh = not RATIOS.is_file()
    with RATIOS.open("a", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        if fresh:
            writer.writerow(COLUMNS)
        for one in found:
            spread = (one.ratio, one.low, one.high)
            writer.writerow([old, new, one.benchmark, *(f"{value:.3f}" for value in spread)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure both versions in turns, and print each benchmark's ratio with its spread."""
    parser = argparse.ArgumentParser(prog="compare", description=__doc__)
    parser.add_argument("old", help="a commit or tag")
    parser.add_argument("new", nargs="?", help="a commit or tag (default: this folder)")
    parser.add_argument("--pairs", type=int, default=5, help="runs of each version (default: 5)")
    parser.add_argument("-k", default="", dest="only", help="benchmarks with this in their name")
    parser.add_argument("--save", action="store_true", help=f"add it to {RATIOS}")
    options = parser.parse_args(arguments)
    if options.pairs < 1:
        parser.error(f"pairs = {options.pairs}: must be at least 1")
    names = [git("describe", "--tags", "--always", x or "HEAD") for x in (options.old, options.new)]
    times: dict[int, list[Times]] = {0: [], 1: []}
    with tempfile.TemporaryDirectory() as folder:
        benchmarks = Path(folder) / "benchmarks"
        shutil.copytree(ROOT / BENCHMARKS, benchmarks)
        (benchmarks / "pytest.ini").write_text(SETTINGS, encoding="utf-8")
        first = tree(options.old, Path(folder) / "old")
        second = tree(options.new, Path(folder) / "new")
        with first as old, second as new:
            for pair in range(options.pairs):
                # Who goes first changes, for a machine warms up and slows down.
                for which in (0, 1) if pair % 2 == 0 else (1, 0):
                    times[which].append(measure((old, new)[which], benchmarks, options.only))
                print(f"pair {pair + 1} of {options.pairs}", file=sys.stderr)
    found = ratios(times[0], times[1])
    if not found:
        sys.exit("compare: no benchmark ran in both versions")
    print(f"new over old, {names[1]} over {names[0]}, {options.pairs} pairs: best (spread)")
    for one in found:
        print(f"{one.benchmark:56} {one.ratio:6.2f} ({one.low:.2f} to {one.high:.2f})")
    left_out = [name for name in times[1][0] if name not in {one.benchmark for one in found}]
    if left_out:
        print(f"not in {names[0]}: {', '.join(left_out)}")
    if options.save:
        save(*names, found)


if __name__ == "__main__":
    main()
