"""What the build tells of itself is what was measured, and says which of it is older."""

import json

import pytest

from explorable import sources
from explorable.sphinx import run as records
from explorable.sphinx.run import Record, ratio_text, status_text

KNOWN = {
    "book/one": Record("a", {"small": (10, 2_000), "large": (90, 1_500_000)}, 12.3, 2, 2, {"found": "3"}),
    "book/two": Record("b", {}, 4.0, 2, 1, {}),
}


def test_every_page_and_panel_is_told_with_its_own_numbers():
    text = status_text(KNOWN, {"book/two"}, fixed=False)
    assert "| {doc}`/book/one` | 2 | 100 | 1,502 | 12.3 | 1 other | an earlier build |" in text
    assert "| {doc}`/book/two` | 0 | 0 | 0 | 4.0 | 0 others | this build |" in text
    assert "1 of 2 pages were executed in this build" in text
    assert "a machine with 2 cores" in text
    assert "2 panels hold 100 states in 1,502 kilobytes." in text
    assert text.index("| `large` |") < text.index("| `small` |"), "the largest first"
    for name, version in sources.versions().items():
        assert f"| {name} | {version} |" in text


def test_a_build_to_be_repeated_holds_nothing_of_the_hour_or_the_machine():
    text = status_text(KNOWN, {"book/two"}, fixed=True)
    assert text == status_text(KNOWN, set(), fixed=True)
    slower = {name: Record(r.digest, r.panels, 99.9, 64, 9, r.values) for name, r in KNOWN.items()}
    assert text == status_text(slower, set(), fixed=True)
    assert "times and the machine are left out" in text


def test_a_book_without_code_has_a_page_of_status():
    assert "0 of 0 pages" in status_text({}, set(), fixed=False)


def test_records_are_kept_whole_and_those_of_another_form_are_made_anew(tmp_path):
    folder = tmp_path / "cache"
    assert records.load_records(folder) == {}
    records.save_records(folder, KNOWN)
    kept = records.load_records(folder)
    assert kept["book/one"].states == 100
    assert kept["book/one"].size == 1_502_000
    assert [p.name for p in folder.iterdir()] == ["pages.json"]
    for text in (json.dumps({"book/one": {"digest": "a"}}), "", "[1]", "{"):
        (folder / "pages.json").write_text(text)
        assert records.load_records(folder) == {}


def test_the_newest_comparisons_stand_beside_each_other(tmp_path):
    path = tmp_path / "ratios.csv"
    rows = [f"v{i},v{i + 1},one,0.{i}00,0.010,1.500" for i in range(1, 7)]
    rows.append("v6,v7,two,2,1,3")
    path.write_text("\n".join(["old,new,benchmark,ratio,low,high", *rows]))
    head, _, one, two = ratio_text(path).splitlines()
    assert head == "| Benchmark | v3 to v4 | v4 to v5 | v5 to v6 | v6 to v7 |"
    assert one.endswith("| 0.60 (0.01 to 1.50) |")
    assert two == "| two | – | – | – | 2.00 (1.00 to 3.00) |"


@pytest.mark.parametrize("name", ["old", "new", "ratio", "low", "high", "benchmark"])
def test_a_file_without_a_column_is_no_file_of_ratios(tmp_path, name):
    head = "old,new,benchmark,ratio,low,high".replace(name, "other")
    (tmp_path / "ratios.csv").write_text(f"{head}\n1,2,3,4,5,6\n")
    with pytest.raises(KeyError, match=name):
        ratio_text(tmp_path / "ratios.csv")
