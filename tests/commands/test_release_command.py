"""A release from a terminal: what may be published is printed, and nothing else."""

import json
import re

import numpy as np
import pytest

from mipbook.__main__ import main as door
from mipbook.commands.answers import release

VALUES = np.random.default_rng(8).normal([50.0, 40.0], [10.0, 5.0], size=(41, 2))


@pytest.fixture
def pool(tmp_path):
    path = tmp_path / "pool.csv"
    np.savetxt(path, VALUES, delimiter=",", header="age,income", comments="")
    return path


def test_numbers_and_statement_are_told_and_what_was_read_is_not(pool, capsys):
    release([str(pool), "--eta", "0.2"])
    told = capsys.readouterr()
    lines = told.out.splitlines()
    assert lines[0] == "mean, with noise:"
    found = {line.split()[0]: float(line.split()[1]) for line in lines[1:3]}
    assert set(found) == {"age", "income"}
    for line, mean in zip(lines[1:3], VALUES.mean(axis=0), strict=True):
        noise = float(re.search(r"noise sd ([\d.e+-]+)", line)[1])
        assert abs(found[line.split()[0]] - mean) < 10 * noise + 5
    assert "eta = 0.2: nobody is right more than 70.0% of the time" in told.out
    assert lines[1].startswith("  age  ")
    assert lines[1].endswith(")")
    assert "(noise sd " in lines[1]
    assert "public grid" not in told.out
    assert "left out" in told.err
    assert "row " not in told.out


@pytest.mark.nightly
def test_json_holds_the_same_and_each_run_draws_anew(pool, capsys):
    runs = []
    for _ in range(2):
        release([str(pool), "--columns", "income", "--statistic", "median", "--json"])
        runs.append(json.loads(capsys.readouterr().out))
    assert set(runs[0]) == {"median", "eta", "noise_sd", "scale", "guaranteed", "statement"}
    assert runs[0]["guaranteed"] is True
    first, second = (run["median"]["income"] for run in runs)
    assert first != second
    assert all(abs(value - 40) < 10 * runs[0]["noise_sd"]["income"] + 5 for value in (first, second))
    release([str(pool), "--verbose"])
    assert "public grid" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "more", "said"),
    [
        ("pool.csv", ["--eta", "0.7"], r"eta = 0\.7: must be"),
        ("pool.csv", ["--eta", "nan"], "eta = nan: must be"),
        ("pool.csv", ["--columns", "wage"], "wage"),
        ("same.csv", [], "one never changes, .* with --columns$"),
        ("no.csv", [], r"no\.csv"),
    ],
)
def test_what_cannot_be_meant_is_one_line(pool, file, more, said, monkeypatch, capsys):
    pool.with_name("same.csv").write_text("age,one\n" + "".join(f"{v:.1f},1\n" for v in VALUES[:, 0]))
    monkeypatch.setattr("sys.argv", ["mipbook", "release", str(pool.with_name(file)), *more])
    with pytest.raises(SystemExit, match=rf"^mipbook release: [^\n]*{said}[^\n]*$"):
        door()
    assert capsys.readouterr().out == ""
