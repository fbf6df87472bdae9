"""Each job of the page *Get a number*: the terminal says what Python prints, for the same data."""

import ast
import io
import re
import shlex
from contextlib import redirect_stdout

import numpy as np
import pytest
from shared import ROOT

from mipbook.__main__ import main as door

PAGE = (ROOT / "book" / "jobs.md").read_text(encoding="utf-8")
_PARTS = [part for part in PAGE.split("\n## ")[1:] if not part.startswith("Run the commands")]
JOBS = {part.split("\n")[0]: part for part in _PARTS}
LAST = list(JOBS)[-1]
FENCE = re.compile(r"^```(\{code-cell\} ipython3)?\n(?::tags:[^\n]*\n)?(.*?)^```", flags=re.M | re.S)
# A release draws noise that nobody may draw again, so only its promise is the same.
PROMISE = re.compile(r"eta = .*? over its random draw\.")


def shown(source, names):
    """The panel that a cell shows, if it does."""
    *before, last = ast.parse(source).body
    if not (isinstance(last, ast.Expr) and ast.unparse(last).startswith("Explorable(")):
        return None
    exec(ast.unparse(before), names)
    return eval(ast.unparse(last), names)


@pytest.fixture(scope="module")
def pairs(request):
    """By job each command with what the cell below it prints, and the names that are there then."""
    names, found = {}, {}
    # The last takes long, and is left for the night.
    last = any(f"[{LAST}]" in item.name for item in request.session.items)
    for job, text in list(JOBS.items())[: None if last else -1]:
        waiting, found[job] = [], []
        for cell, source in FENCE.findall(text):
            panel = shown(source, names) if cell else None
            if not cell:
                waiting.append(source)
            elif panel is not None:
                waiting += [panel.command.format(**panel.values)] if panel.command else []
            else:
                with redirect_stdout(io.StringIO()) as printed:
                    exec(source, names)
                # A guess, or what the text needs, prints nothing.
                if printed.getvalue():
                    found[job].append((waiting.pop(), printed.getvalue(), dict(names)))
        assert not waiting, f"{job}: {waiting} has no cell that says the same"
    return found


def write(folder, names):
    """Write what the page's cells made as the files that its commands name."""
    if "scores" in names:
        columns = {"score": names["scores"], "member": names.get("included", names["member"])}
        columns |= {"canary": np.ones(len(names["scores"]))} if "included" in names else {}
        people = names.get("incomes", names.get("people"))
        files = {"scores": (",".join(columns), np.column_stack(list(columns.values())))}
        files |= {"pool": ("", people)} if people is not None else {}
        for name, (header, rows) in files.items():
            np.savetxt(folder / f"{name}.csv", rows, fmt="%.17g", delimiter=",", header=header, comments="")


def lines(told):
    """The lines of a report; how far apart its columns stand is not looked at."""
    return {" ".join(line.split()) for line in told.splitlines()}


@pytest.mark.parametrize("job", [*list(JOBS)[:-1], pytest.param(LAST, marks=pytest.mark.nightly)])
def test_the_terminal_says_what_python_prints(job, pairs, tmp_path, monkeypatch):
    assert len(JOBS) == 5
    assert pairs[job]
    assert "Explorable(" in JOBS[job]
    monkeypatch.chdir(tmp_path)
    for command, python, names in pairs[job]:
        write(tmp_path, names)
        assert command.startswith("python -m mipbook ")
        monkeypatch.setattr("sys.argv", shlex.split(command)[2:])
        with redirect_stdout(io.StringIO()) as printed:
            door()
        told = printed.getvalue()
        if " release " in command:
            assert PROMISE.findall(told) == PROMISE.findall(python) != []
            value = float(told.splitlines()[1].split(" (noise")[0].split()[-1])
            assert abs(value - names["incomes"].mean()) < 10 * names["released"].noise.scale
        elif "--canaries" in command:
            # The rest of what the terminal says is of the scores, as under the job before.
            report = {line for line in lines(told) if line.startswith("Report: ")}
            assert report <= lines(python)
            assert "canaries)" in "".join(report)
        else:
            assert len(lines(python)) > 8
            assert lines(python) <= lines(told)
