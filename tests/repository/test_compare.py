"""Two versions are compared in turns by ratio."""

import compare
import pytest


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


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(SystemExit, match="compare: git"):
        compare.main(["no-such-commit"])
