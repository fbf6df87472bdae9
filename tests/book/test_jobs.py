"""Each job of the page *Get a number*: the terminal says what Python prints, for the same data."""

import io
import re
import shlex
from contextlib import redirect_stdout

import numpy as np
import pytest
from shared import ROOT

from mipbook.__main__ import main as door

PAGE = (ROOT / "book" / "jobs.md").read_text(encoding="utf-8")
PARTS = PAGE.split("\n## ")[1:]
JOBS = {part.split("\n")[0]: part for part in PARTS if not part.startswith("With a file")}
FENCE = re.compile(r"^```(\{code-cell\} ipython3)?\n(?::tags:[^\n]*\n)?(.*?)^```", flags=re.M | re.S)
# A release draws noise that nobody may draw again, so only its promise is the same.
PROMISE = re.compile(r"eta = .*? over its random draw\.")


@pytest.fixture(scope="module")
def printed():
    """What the page's cells print by job, and the names that they leave behind, in their order."""
    names: dict = {}
    found = {}
    for job, text in JOBS.items():
        told = io.StringIO()
        with redirect_stdout(told):
            for cell, source in FENCE.findall(text):
                if cell:
                    exec(source, names)
        found[job] = told.getvalue(), dict(names)
    return found


def files(folder, names):
    """Write what the page's cells made as the files that its commands name."""
    if "scores" not in names:
        return
    columns = {"score": names["scores"], "member": names.get("included", names["member"])}
    if "included" in names:
        columns["canary"] = np.ones(len(names["scores"]))
    table = np.column_stack(list(columns.values()))
    save(folder / "scores.csv", ",".join(columns), table)
    people = names.get("people", names.get("incomes"))
    if people is not None:
        save(folder / "pool.csv", "", people)


def save(path, header, table):
    np.savetxt(path, table, fmt="%.17g", delimiter=",", header=header, comments="")


def lines(told):
    """The lines of a report; how far apart its columns stand is not looked at."""
    return {" ".join(line.split()) for line in told.splitlines()}


def commands(job):
    found = [source for cell, source in FENCE.findall(JOBS[job]) if not cell]
    return [shlex.split(line) for line in found]


def said(job, printed, folder, monkeypatch, capsys):
    """What the job's command prints for the data of the page."""
    files(folder, printed[job][1])
    monkeypatch.chdir(folder)
    ((python, m, package, *arguments),) = commands(job)
    assert [python, m, package] == ["python", "-m", "mipbook"]
    monkeypatch.setattr("sys.argv", [package, *arguments])
    capsys.readouterr()
    door()
    return capsys.readouterr().out


def test_every_job_has_python_and_a_terminal():
    assert len(JOBS) == 6
    assert all(commands(job) for job in JOBS)
    assert all(any(cell for cell, _ in FENCE.findall(text)) for text in JOBS.values())


@pytest.mark.parametrize("job", [job for job in JOBS if "python -m mipbook" in JOBS[job]])
def test_the_terminal_says_what_python_prints(job, printed, tmp_path, monkeypatch, capsys):
    told, (python, names) = said(job, printed, tmp_path, monkeypatch, capsys), printed[job]
    if job == "I release a mean":
        assert PROMISE.findall(told) == PROMISE.findall(python) != []
        value = float(told.splitlines()[1].split(" (noise")[0].split()[-1])
        scale = names["released"].noise.scale
        assert abs(value - names["incomes"].mean()) < 10 * scale
    elif job == "Audit my model":
        # The rest of what the terminal says is of the scores, as under the first job.
        report = {line for line in lines(told) if line.startswith("Report: ")}
        assert report <= lines(python)
        assert "canaries)" in "".join(report)
    else:
        assert len(lines(python)) > 8
        assert lines(python) <= lines(told)


def test_other_data_are_told_apart(printed, tmp_path, monkeypatch, capsys):
    """What the comparison above could miss if it read too little."""
    job = "I have scores of an attack"
    python, names = printed[job]
    other = {job: (python, {**names, "scores": names["scores"] + 0.01 * names["member"]})}
    assert not lines(python) <= lines(said(job, other, tmp_path, monkeypatch, capsys))
