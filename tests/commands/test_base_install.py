"""What `pip install mipbook` brings is enough for the maths and its commands; the rest says what it lacks."""

import re
import subprocess
import tomllib
from importlib import import_module, metadata

import numpy as np
from packaging.requirements import Requirement
from shared import ROOT, ran

from mipbook.__main__ import COMMANDS, main

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BASE = [Requirement(line).name for line in PROJECT["dependencies"]]
MATHS = (
    *("tradeoff", "mechanisms", "data", "learners", "game", "mip", "pmp", "mis"),
    *("stored", "release", "choose", "audit"),
)


def with_theirs(names: list[str]) -> set[str]:
    """Return the distributions with what they need in turn."""
    found: set[str] = set()
    while names:
        found.add(name := names.pop())
        needs = map(Requirement, metadata.requires(name) or [])
        always = (n.name for n in needs if not n.marker or n.marker.evaluate({"extra": ""}))
        names += set(always) - found
    return found


THERE = with_theirs(BASE) | {"explorable", "mipbook"}
# Whatever is installed besides cannot be found.
ALONE = f"""
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top[0] == "_" or top in sys.stdlib_module_names or top in {THERE}:
            return None
        raise ModuleNotFoundError(f"No module named {{top!r}}", name=top)
sys.meta_path.insert(0, Hidden())
"""


def door(*arguments: str) -> subprocess.CompletedProcess[str]:
    return ran("-c", f"{ALONE}from mipbook.__main__ import main\nmain()", *arguments, cwd=ROOT)


def test_all_maths_is_there():
    every = "getattr(getattr(mipbook, room), name)"
    code = f"import mipbook\n[{every} for room in {MATHS} for name in getattr(mipbook, room).__all__]"
    done = ran("-c", ALONE + code, cwd=ROOT)
    assert done.returncode == 0, done.stderr


def test_the_commands_answer_and_one_without_its_extra_names_it_in_a_line(tmp_path):
    rng = np.random.default_rng(3)
    pool, scores, page = tmp_path / "pool.csv", tmp_path / "scores.csv", tmp_path / "a.html"
    np.savetxt(pool, rng.normal(size=(40, 2)), delimiter=",", header="a,b", comments="")
    rows = np.column_stack([rng.normal(size=200), np.arange(200) % 2])
    np.savetxt(scores, rows, delimiter=",", header="score,member", comments="", fmt=["%.6f", "%d"])
    for told, *given in (
        ("right at even odds", "translate", "--epsilon", "3"),
        ("Report: epsilon", "audit", str(scores)),
        ("epsilon to use", "choose", str(pool), "--clip", "4"),
        ("mean, with noise:", "release", str(pool)),
    ):
        done = door(*given)
        assert done.returncode == 0, done.stderr
        assert told in done.stdout
        if given[0] != "release":
            done = door(*given, "--html", str(page))
            assert done.returncode == 1
            assert re.fullmatch(rf'mipbook {given[0]}: \w+ is .* "mipbook\[figures\]"\n', done.stderr)
            assert not page.exists()
    assert "usage: python -m mipbook audit" in door("audit", "--help").stdout
    for name in (name for name, each in COMMANDS.items() if each.needs != "numpy"):
        extra = COMMANDS[name].extra
        assert extra in PROJECT["optional-dependencies"]
        done = door(name)
        told = rf'mipbook {name}: \w+ is not installed; it comes with pip install "mipbook\[{extra}\]"\n'
        assert re.fullmatch(told, done.stderr), done.stderr
        assert (done.returncode, done.stdout) == (1, "")


def test_every_command_leads_to_a_function_and_is_listed(monkeypatch, capsys):
    for command in COMMANDS.values():
        module, _, function = command.target.partition(":")
        assert callable(getattr(import_module(module), function))
    monkeypatch.setattr("sys.argv", ["mipbook"])
    main()
    assert set(re.findall(r"^  ([\w-]+)", capsys.readouterr().out, re.M)) >= set(COMMANDS)
