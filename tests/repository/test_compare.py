"""Two versions are compared in turns by ratio, and what is kept is what was measured."""

import csv
import tempfile
from pathlib import Path

import compare
import pytest

from explorable.sphinx.run import ratio_text


def test_a_ratio_is_of_the_best_times_and_its_spread_that_of_the_pairs():
    old = [{"one": 1.0, "gone": 1.0}, {"one": 2.0, "gone": 1.0}]
    new = [{"one": 3.0, "new": 1.0}, {"one": 0.5, "new": 1.0}]
    assert compare.ratios(old, new) == [compare.Ratio("one", 0.5, 0.25, 3.0)]


def test_a_slower_version_is_measured_as_slower(tmp_path):
    # Processor time is what counts, which sleep would not take.
    for name, size in (("old", 10_000), ("new", 200_000)):
        (tmp_path / name).mkdir()
        text = f"def work():\n    return sum(range({size}))\n"
        (tmp_path / name / "planted.py").write_text(text)
    (tmp_path / "new" / "fresh.py").write_text("")
    benchmarks = tmp_path / "benchmarks"
    benchmarks.mkdir()
    (benchmarks / "bench_it.py").write_text(
        "def bench_work(benchmark):\n    import planted\n    benchmark(planted.work)\n"
        "def bench_fresh(benchmark):\n    import fresh\n    benchmark(int)\n"
    )
    (benchmarks / "pytest.ini").write_text(compare.SETTINGS)
    old, new = ([compare.measure(tmp_path / x, benchmarks, "")] for x in ("old", "new"))
    assert set(old[0]) == {"work"}
    assert set(new[0]) == {"work", "fresh"}
    (found,) = compare.ratios(old, new)
    assert 5 < found.ratio == found.low == found.high


@pytest.fixture
def measured(tmp_path, monkeypatch) -> list[str]:
    """Versions in the place of measuring them; the second takes twice as long as the first."""
    order: list[str] = []

    def measure(version: Path, benchmarks: Path, only: str) -> compare.Times:
        assert (version / "mipbook").is_dir()
        assert (benchmarks / "pytest.ini").is_file()
        assert "measured-here" in compare.git("worktree", "list")
        order.append(version.name)
        return {"one": 1.0} if version.name == "old" else {"one": 2.0, "more": 1.0}

    monkeypatch.setattr(compare, "measure", measure)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "measured-here"))
    (tmp_path / "measured-here").mkdir()
    monkeypatch.setattr(compare, "RATIOS", tmp_path / "ratios.csv")
    return order


def test_versions_take_turns_and_the_page_shows_what_was_kept(measured, capsys):
    commit = compare.git("describe", "--tags", "--always", "HEAD")
    compare.main(["HEAD", "HEAD", "--pairs", "3", "--save"])
    assert measured == ["old", "new", "new", "old", "old", "new"]
    assert "one                                                        2.00 (2.00 to 2.00)" in (
        capsys.readouterr().out
    )
    with compare.RATIOS.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert (rows[0]["old"], rows[0]["new"]) == (commit, commit)
    shown = ratio_text(compare.RATIOS)
    assert f"| Benchmark | {commit} to {commit} |" in shown
    assert "| one | 2.00 (2.00 to 2.00) |" in shown
    assert "measured-here" not in compare.git("worktree", "list")


@pytest.mark.parametrize(
    ("words", "told"), [(["no-such-commit"], "compare: git"), (["HEAD", "--pairs", "0"], "")]
)
def test_what_cannot_be_compared_is_refused(measured, words, told, capsys):
    with pytest.raises(SystemExit) as refused:
        compare.main(words)
    assert told in str(refused.value)
    assert refused.value.code != 0
    assert measured == []
