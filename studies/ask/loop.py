"""Answer questions, one line of JSON each: ``python loop.py NAME`` asks the adapter of that name.

It runs in the tool's own environment, where neither the book nor numpy need be: standard library
alone. An adapter holds ``ROUTES``, from family of questions to route to function, and
``SILENT``, from family to the reason why the tool has no answer of the kind.
"""

import importlib
import json
import os
import platform
import sys
import time
import warnings
from typing import Any

# A quick answer is timed again: the least of three is the tool's own.
_QUICK, _AGAIN = 0.05, 2


def timed(function: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return an answer and its seconds of the processor, or how it was refused.

    A tuple holds the lower and the upper end, and an estimate between them, if there is one.
    """
    start = time.process_time()
    try:
        value = function(**inputs)
        value = [float(end) for end in value] if isinstance(value, tuple) else float(value)
    except Exception as error:
        told = f"{type(error).__name__}: {error}".strip().splitlines()[0][:200]
        return {"status": "refused", "message": told, "seconds": time.process_time() - start}
    best = time.process_time() - start
    for _ in range(_AGAIN if best < _QUICK else 0):
        start = time.process_time()
        function(**inputs)
        best = min(best, time.process_time() - start)
    return {"status": "answered", "value": repr(value), "seconds": best}


def main() -> None:
    """Say which routes there are, then answer line by line."""
    # What a tool prints must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    warnings.simplefilter("ignore")

    def say(told: dict[str, Any]) -> None:
        answers.write(json.dumps(told) + "\n")

    try:
        adapter = importlib.import_module(f"ask_{sys.argv[1]}")
        version = adapter.version()
    except Exception as error:
        say({"failed": f"{type(error).__name__}: {error}".splitlines()[0][:200]})
        return
    routes = {family: list(told) for family, told in adapter.ROUTES.items()}
    about = {"version": version, "python": platform.python_version()}
    say({"routes": routes, "silent": adapter.SILENT, **about})
    for line in sys.stdin:
        asked = json.loads(line)
        say(timed(adapter.ROUTES[asked["family"]][asked["route"]], asked["inputs"]))


if __name__ == "__main__":
    main()
