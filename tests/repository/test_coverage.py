"""The floor of coverage only rises, and the command that measures it is red below it."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib

from shared import ROOT

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["coverage"]
FLOORS = ROOT / "tests" / "data" / "coverage_floors.txt"


def test_the_floor_only_rises():
    """Whoever raises it adds a line; no line is ever taken away or lowered."""
    text = FLOORS.read_text(encoding="utf-8")
    floors = [float(line) for line in text.splitlines() if not line.startswith("#")]
    assert floors
    assert floors == sorted(set(floors)), f"{FLOORS.name}: each line must be above the one before"
    assert CONFIG["report"]["fail_under"] == floors[-1], f"add the new floor to {FLOORS.name}"


def test_the_command_counts_lines_and_branches_and_is_red_below_the_floor(tmp_path):
    """`make coverage`, with the tests of one module instead of all."""
    rule = re.search(r"^coverage:.*\n\t\$\(VENV\) (.*)$", (ROOT / "Makefile").read_text(), re.M)
    words = [word for word in shlex.split(rule[1]) if not word.startswith("--ignore")]
    words = [word for word in words if word not in ("-n", "auto", "tests")]
    report = tmp_path / "coverage.json"
    done = subprocess.run(
        [sys.executable, *words, f"--cov-report=json:{report}", "tests/base/test_validate.py"],
        cwd=ROOT,
        env={**os.environ, "PYTEST_ADDOPTS": "", "COVERAGE_FILE": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "passed" in done.stdout
    assert done.returncode != 0
    assert f"coverage of {CONFIG['report']['fail_under']:.1f}% not reached" in done.stdout
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["meta"]["branch_coverage"]
    assert found["files"]["explorable/validate.py"]["summary"]["percent_covered"] > 50
