"""The package as others install it: all its files, in an empty environment, from any folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from shared import ROOT, tracked

pytestmark = pytest.mark.nightly

UV = [sys.executable, "-m", "uv", "--quiet"]
# Types for the linter of the scripts, which no installed package runs.
NOT_SHIPPED = {"explorable/panels/js/types.d.ts", "explorable/panels/js/worker/here.d.ts"}
USE = """
import json, mipbook
from mipbook import figures, tradeoff
from explorable import checks, panels
panels.Explorable(figures.mip.mip_figure_1, eta=[0.1, 0.2]).save("panel.html")
print(json.dumps([mipbook.__file__, len(checks.results()), tradeoff.gaussian_sigma(1.0, delta=1e-6)]))
"""


def run(*command, cwd=ROOT, code=0):
    """Return what a command says, of what went wrong if it must fail."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stderr if code else done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """Wheel and sdist, from a copy: the build leaves its traces in the folder that it builds."""
    source = tmp_path_factory.mktemp("source")
    for path in tracked():
        target = source / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    out = tmp_path_factory.mktemp("dist")
    run(*UV, "build", "--out-dir", str(out), str(source))
    return out


def test_wheel_and_sdist_hold_every_file_of_the_package_and_no_test(dist):
    files = {path.relative_to(ROOT).as_posix() for path in tracked()} - NOT_SHIPPED
    shipped = {name for name in files if name.startswith(("explorable/", "mipbook/"))}
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert shipped <= inside
    assert {name.split("/")[0].split("-")[0] for name in inside} == {"explorable", "mipbook"}
    with tarfile.open(sdist) as packed:
        assert shipped <= {name.partition("/")[2] for name in packed.getnames()}


def test_it_works_in_an_empty_environment_from_any_folder(dist, tmp_path):
    (wheel,) = dist.glob("*.whl")
    venv, away = tmp_path / "venv", tmp_path / "away"
    away.mkdir()
    programs = venv / ("Scripts" if os.name == "nt" else "bin")
    python, door = str(programs / "python"), str(programs / "mipbook")
    install = [*UV, "pip", "install", "--python", python, "--constraint", str(ROOT / "constraints.txt")]
    run(*UV, "venv", "--python", sys.executable, str(venv))
    run(*install, str(wheel))
    told = run(python, "-c", "import mipbook; print(mipbook.__version__)", cwd=away)
    assert told.strip() in wheel.name
    said = json.loads(run(python, "-m", "mipbook", "translate", "--epsilon", "3", "--json", cwd=away))
    assert said["sharp"] is True
    assert "--score" in run(door, "audit", "--help", cwd=away)
    run(*install, f"{wheel}[figures]")
    where, results, sigma = json.loads(run(python, "-c", USE, cwd=away))
    assert Path(where).is_relative_to(venv)
    assert results > 100
    assert 4 < sigma < 5
    assert "<html" in (away / "panel.html").read_text(encoding="utf-8")
    # What needs the repository says so in a line.
    for *command, told in (
        (door, "runs", "pmp", "mipbook runs: .*studies/"),
        (str(programs / "explorable"), "build", "explorable build: "),
    ):
        assert re.fullmatch(told + r"[^\n]*\n", run(*command, cwd=away, code=1)), told
