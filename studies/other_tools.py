"""The same questions to other accountants, an environment and a process of its own for each.

``python -m studies.other_tools mipbook prv_accountant`` asks these alone anew, and keeps the others' answers.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import venv
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from mpmath import mp

from mipbook.stored import tools
from mipbook.stored.store import STORED, Arrays, load
from mipbook.stored.tools import QUESTIONS, STATUSES, TOOLS, Question
from studies.run import Run, save, told
from studies.truth import DIGITS, answer

ASK = Path(__file__).with_name("ask")
_START = 300.0
# A route of this name answers with a lower and an upper end at once, some with an estimate between.
BRACKET = "bracket"
_ENDS = {2: ("lower", "upper"), 3: ("lower", "estimate", "upper")}


@dataclass
class Answer:
    """What a tool said to a question, by one of its routes.

    Attributes
    ----------
    question : Question
        What was asked.
    tool, route : str
        Who was asked, and by which of its functions.
    status : str
        One of ``STATUSES``.
    value : float
        The answer; 0 if there is none.
    message : str
        Why there is none.
    seconds : float
        How long the answer took, in seconds of the processor.
    ends : tuple of float
        Lower end, estimate (if there is one) and upper end, where the route gives these at once.
    """

    question: Question
    tool: str
    route: str
    status: str
    value: float = 0.0
    message: str = ""
    seconds: float = 0.0
    ends: tuple[float, ...] = ()

    def split(self) -> list[Answer]:
        """Return an answer for each end; the answer itself if it is one number."""
        if self.route != BRACKET:
            return [self]
        values = self.ends or (0.0,) * 3
        return [
            replace(self, route=route, value=value, ends=())
            for route, value in zip(_ENDS[len(values)], values, strict=True)
        ]


@dataclass
class Tool:
    """A process that answers for one tool, started again when it had to be stopped."""

    name: str
    python: str
    about: dict[str, Any] = field(default_factory=dict)
    _process: subprocess.Popen[str] | None = None
    _lines: queue.Queue[str] = field(default_factory=queue.Queue)
    _reader: threading.Thread = field(default_factory=threading.Thread)

    def start(self) -> None:
        """Start it, and hear which routes there are."""
        command = [self.python, str(ASK / "loop.py"), self.name]
        # One thread, so that the times are those of one.
        threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        settings = {**os.environ, **dict.fromkeys(threads, "1")}
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, text=True, env=settings, stderr=subprocess.DEVNULL, **pipes)
        self._lines = queue.Queue()
        told = (self._process, self._lines)
        self._reader = threading.Thread(target=self._read, args=told, daemon=True)
        self._reader.start()
        self.about = self._heard(_START) or {"failed": f"no word in {_START:g} seconds"}

    def _read(self, process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put('{"failed": "its process ended"}')

    def _heard(self, seconds: float) -> dict[str, Any] | None:
        try:
            return dict(json.loads(self._lines.get(timeout=seconds)))
        except queue.Empty:
            return None

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            with suppress(OSError):  # what was not yet read by the process
                self._process.stdin.close()  # type: ignore[union-attr]
            self._reader.join()
            self._process.stdout.close()  # type: ignore[union-attr]
            self._process = None

    def ask(self, question: Question, route: str) -> Answer:
        """Put a question; who takes too long, or ends, is started again for the next."""
        if self._process is None:
            self.start()
        assert self._process is not None
        assert self._process.stdin is not None
        asked = {"family": question.family, "route": route, "inputs": question.inputs}
        try:
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
            told = self._heard(question.seconds)
        except OSError as error:
            told = {"failed": str(error)}
        answer = Answer(question, self.name, route, "refused")
        if told is None or "failed" in told:
            self.stop()
            timeless = f"no answer in {question.seconds:g} seconds"
            answer.status = "no time" if told is None else "refused"
            answer.message = timeless if told is None else told["failed"]
            answer.seconds = question.seconds if told is None else 0.0
            return answer
        answer.seconds = told["seconds"]
        answer.message = told.get("message", "")
        if told["status"] == "answered":
            ends = told["value"].strip("[]").split(",") if route == BRACKET else ()
            answer.ends = tuple(float(end) for end in ends)
            value = sum(answer.ends) if ends else float(told["value"])
            finite = value - value == 0
            answer.status = "answered" if finite else "refused"
            answer.value = value if finite and not ends else 0.0
            answer.message = "" if finite else f"answers {told['value']}"
        return answer


def requirements(name: str) -> str:
    """Return the pinned requirements of a tool; none for the book's own package.

    Parameters
    ----------
    name : str
        The name of an adapter.
    """
    path = ASK / f"{name}.txt"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def environment(name: str, place: Path, *, newest: bool = False) -> str:
    """Make the environment of a tool, and return its Python; a message of pip's is raised.

    Parameters
    ----------
    name : str
        The name of an adapter.
    place : Path
        The folder for environments; one that is there is used again.
    newest : bool
        Take the newest versions instead of the pinned ones.
    """
    wanted = [line for line in requirements(name).splitlines() if line[:1] not in ("", "#")]
    if not wanted:
        return sys.executable
    folder = place / (f"{name}-newest" if newest else name)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    names = [line.split("==")[0] for line in wanted[:1]] if newest else wanted
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(
        [*command, *(["--upgrade"] if newest else []), *names], capture_output=True, text=True
    )
    if done.returncode:
        lines = done.stderr.splitlines() or [f"pip ended with {done.returncode}"]
        errors = [line for line in lines if line.startswith("ERROR")]
        raise RuntimeError((errors or lines)[-1][:200])
    return str(python)


def ask(
    names: Sequence[str] = tuple(TOOLS), questions: Sequence[Question] = QUESTIONS, *, newest: bool = False
) -> tuple[list[Answer], dict[str, dict[str, Any]]]:
    """Return all answers, and what each tool says of itself; nobody is left out.

    Parameters
    ----------
    names : sequence of str
        The adapters.
    questions : sequence of Question
        What is asked.
    newest : bool
        Ask the newest versions instead of the pinned ones.
    """
    answers: list[Answer] = []
    about: dict[str, dict[str, Any]] = {}
    place = Path(os.environ.get("MIPBOOK_TOOLS", Path(tempfile.gettempdir()) / "mipbook-tools"))
    place.mkdir(parents=True, exist_ok=True)
    for name in told(names, "tools", "tools"):
        try:
            tool = Tool(name, environment(name, place, newest=newest))
            tool.start()
            about[name] = tool.about
            if "failed" in about[name]:
                tool.stop()
        except (RuntimeError, OSError) as error:
            about[name] = {"failed": str(error)}
        if "failed" in about[name]:
            why = about[name]["failed"]
            answers += [Answer(q, name, "", "does not run", message=why) for q in questions]
            continue
        answers += _asked(tool, questions)
        tool.stop()
    return answers, about


def _asked(tool: Tool, questions: Sequence[Question]) -> list[Answer]:
    about, found = tool.about, []
    warm: set[str] = set()
    for question in questions:
        routes = about["routes"].get(question.family, [])
        if question.family not in warm:  # what a first call loads is no part of the time
            warm.add(question.family)
            for route in routes:
                tool.ask(question, route)
        found += [end for route in routes for end in tool.ask(question, route).split()]
        if not routes:
            why = about["silent"].get(question.family, "no function found")
            found.append(Answer(question, tool.name, "", "no answer", message=why))
    return found


SETTINGS: dict[str, Any] = {
    **tools.SETTINGS,
    "digits": DIGITS,
    "pins": {name: requirements(name) for name in TOOLS},
}


def relative_error(value: float, truth: str) -> float:
    """Return (value - truth) / truth, subtracted with all digits.

    Parameters
    ----------
    value : float
        What a tool answers.
    truth : str
        The right answer, written out.

    Examples
    --------
    >>> relative_error(0.5, "0.499999999999999999999")
    2e-21
    """
    with mp.workdps(DIGITS + 20):
        right = mp.mpf(truth)
        return float(f"{float((mp.mpf(value) - right) / right):.3g}")


def packed(
    answers: Sequence[Answer], about: Mapping[str, Mapping[str, Any]], truths: Mapping[str, str]
) -> Arrays:
    """Return answers as columns, one row an answer.

    Parameters
    ----------
    answers : sequence of Answer
        In any order.
    about : mapping
        What each tool says of itself.
    truths : mapping
        The right answer, by the question's name.
    """
    names = [question.name for question in QUESTIONS]
    tools = list(TOOLS)
    routes = sorted({a.route for a in answers})
    messages = sorted({a.message for a in answers})
    place = {text: i for i, text in enumerate(names)}
    errors = [
        relative_error(a.value, truths[a.question.name]) if a.status == "answered" else 0.0 for a in answers
    ]
    versions = [
        about[t].get("failed") or f"{about[t]['version']}, Python {about[t]['python']}"
        for t in tools
        if t in about
    ]
    return {
        "truths": np.array([truths[name] for name in names]),
        "routes": np.array(routes),
        "messages": np.array(messages),
        "versions": np.array(versions),
        "question": np.array([place[a.question.name] for a in answers], dtype=np.int16),
        "tool": np.array([tools.index(a.tool) for a in answers], dtype=np.int8),
        "route": np.array([routes.index(a.route) for a in answers], dtype=np.int8),
        "status": np.array([STATUSES.index(a.status) for a in answers], dtype=np.int8),
        "message": np.array([messages.index(a.message) for a in answers], dtype=np.int16),
        "value": np.array([a.value for a in answers]),
        "error": np.array(errors),
        "seconds": np.array([float(f"{a.seconds:.2g}") for a in answers], dtype=np.float32),
    }


def truths(questions: Sequence[Question] = QUESTIONS) -> dict[str, str]:
    """Return the right answers, by the names of their questions."""
    return {question.name: answer(question) for question in questions}


def _make() -> Arrays:
    answers, about = ask()
    return packed(answers, about, truths())


def renew(names: Sequence[str]) -> Arrays:
    """Ask some tools anew, and keep what the others said, and the truths.

    Parameters
    ----------
    names : sequence of str
        The adapters.
    """
    old = load("other_tools", tools.SETTINGS).arrays
    spoken = zip(TOOLS, (text.partition(", Python ") for text in old["versions"].tolist()), strict=True)
    about = {name: {"version": v, "python": p} if p else {"failed": v} for name, (v, _, p) in spoken}
    called = {title: name for name, title in TOOLS.items()}
    kept = [
        Answer(Question(family, a.inputs), called[a.tool], a.route, a.status, a.value, a.message, a.seconds)
        for family in tools.FAMILIES
        for a in tools.tool_answers(family)
        if called[a.tool] not in names
    ]
    answers, newly = ask(names)
    order = list(TOOLS)
    answers = sorted([*kept, *answers], key=lambda a: order.index(a.tool))
    right = dict(zip([question.name for question in QUESTIONS], old["truths"].tolist(), strict=True))
    return packed(answers, {**about, **newly}, right)


RUNS = (Run("other_tools", SETTINGS, _make),)

if __name__ == "__main__":
    save(STORED, "other_tools", SETTINGS, **renew(sys.argv[1:]))
