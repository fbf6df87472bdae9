"""What `pip install mipbook` brings is enough for the maths and its commands; the rest says what it lacks."""

import re
import subprocess
import tomllib
from importlib import import_module, metadata

import numpy as np
import pytest
from packaging.requirements import Requirement
from shared import ROOT, ran

from mipbook.__main__ import COMMANDS

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
        name = names.pop()
        found.add(name)
        needs = map(Requirement, metadata.requires(name) or [])
        names += [
            n.name
            for n in needs
            if n.name not in found and (not n.marker or n.marker.evaluate({"extra": ""}))
        ]
    return found


OURS = {"explorable", "mipbook"}
# Whatever is installed besides cannot be found.
ALONE = f"""
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top[0] == "_" or top in sys.stdlib_module_names or top in {with_theirs(BASE.copy()) | OURS}:
            return None
        raise ModuleNotFoundError(f"No module named {{top!r}}", name=top)
sys.meta_path.insert(0, Hidden())
"""
NAMES = f"""
import mipbook
for room in {MATHS}:
    for name in getattr(mipbook, room).__all__:
        getattr(getattr(mipbook, room), name)
"""


def alone(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return ran("-c", ALONE + code, *arguments, cwd=ROOT)


def door(*arguments: str) -> subprocess.CompletedProcess[str]:
    return alone("from mipbook.__main__ import main\nmain()", *arguments)


def test_all_maths_is_there():
    done = alone(NAMES)
    assert done.returncode == 0, done.stderr


def test_the_commands_answer(tmp_path):
    rng = np.random.default_rng(3)
    pool, scores = tmp_path / "pool.csv", tmp_path / "scores.csv"
    np.savetxt(pool, rng.normal(size=(40, 2)), delimiter=",", header="a,b", comments="")
    rows = np.column_stack([rng.normal(size=200), np.arange(200) % 2])
    np.savetxt(scores, rows, delimiter=",", header="score,member", comments="", fmt=["%.6f", "%d"])
    for told, arguments in (
        ("right at even odds", ["translate", "--epsilon", "3"]),
        ("Report: epsilon", ["audit", str(scores)]),
        ("epsilon to use", ["choose", str(pool), "--clip", "4"]),
        ("mean, with noise:", ["release", str(pool)]),
        ("usage: python -m mipbook audit", ["audit", "--help"]),
    ):
        done = door(*arguments)
        assert done.returncode == 0, done.stderr
        assert told in done.stdout
    page = tmp_path / "a.html"
    for arguments in (["translate", "--epsilon", "3"], ["audit", str(scores)], ["choose", str(pool)]):
        done = door(*arguments, "--html", str(page))
        assert done.returncode == 1
        assert re.fullmatch(rf'mipbook {arguments[0]}: \w+ is .* "mipbook\[figures\]"\n', done.stderr)
        assert not page.exists()


@pytest.mark.parametrize("name", [name for name, each in COMMANDS.items() if each.needs != "numpy"])
def test_a_command_without_its_extra_names_it_in_a_line(name):
    extra = COMMANDS[name].extra
    assert extra in PROJECT["optional-dependencies"]
    done = door(name)
    assert done.returncode == 1
    told = rf'mipbook {name}: \w+ is not installed; it comes with pip install "mipbook\[{extra}\]"\n'
    assert re.fullmatch(told, done.stderr), done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_leads_to_a_function(name):
    module, _, function = COMMANDS[name].target.partition(":")
    assert callable(getattr(import_module(module), function))
