"""Ask the newest versions of the other tools, and tell what differs from the stored answers.

``python tools/other_tools.py report.md`` writes a report and ends with 1 if an answer, a version
that fails to install or a refusal is new. Times are left out: they belong to a machine.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

from mipbook.stored.tools import FAMILIES, TOOLS, tool_answers, tool_versions

# The studies are no part of what is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from studies.other_tools import Answer, ask

# What two machines may differ by.
CLOSE = 1e-9
SHOWN = 40


def said(status: str, value: float, message: str) -> str:
    return f"{value!r}" if status == "answered" else f"{status}: {message}"


def stored() -> dict[tuple[str, str, str], tuple[str, float, str]]:
    """Return the stored answers, by tool, route and question."""
    return {
        (a.tool, a.route, f"{family} {a.inputs}"): (a.status, a.value, a.message)
        for family in FAMILIES
        for a in tool_answers(family)
    }


def changes(answers: Iterable[Answer]) -> list[str]:
    """Return a line for each answer that is another than the stored one."""
    before, found = stored(), []
    for a in answers:
        key = (TOOLS[a.tool], a.route, f"{a.question.family} {a.question.inputs}")
        status, value, message = before.get(key, ("not asked", 0.0, ""))
        # What took too long on one machine may not on another.
        if "no time" in (a.status, status):
            continue
        if a.status == status and abs(a.value - value) <= CLOSE * abs(value):
            continue
        now = said(a.status, a.value, a.message)
        found.append(f"- {', '.join(key)}: was {said(status, value, message)}, is {now}")
    return found


def main() -> int:
    names = [name for name in TOOLS if name != "mipbook"]
    answers, about = ask(names, newest=True)
    versions = tool_versions()
    lines = [
        f"- {TOOLS[name]}: stored with {versions[TOOLS[name]]}; now {told.get('failed') or told['version']}"
        for name, told in about.items()
    ]
    found = changes(answers)
    report = ["Versions:", "", *lines, "", f"{len(found)} answers differ:", "", *found[:SHOWN]]
    Path(sys.argv[1]).write_text("\n".join(report) + "\n", encoding="utf-8")
    print("\n".join(report))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
