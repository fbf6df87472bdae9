"""Limits on what one kernel may take: seconds, memory, its place in the queue for the processor.

A limit that the system does not know (Windows has neither) is left out, never an error.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType

from explorable import validate

resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows
    resource = None


# The server tells its kernels by this environment variable how long one move may take.
SECONDS = "MIPBOOK_SECONDS"
# A timer of 0 would be none.
_SOON = 1e-3


@contextlib.contextmanager
def limited(seconds: float | None = None) -> Iterator[None]:
    """Stop what takes too long.

    The clock is the wall's.  The block is interrupted between two steps of Python, so one long
    call of compiled code ends late.  Outside the main thread, and on Windows, nothing is limited.

    Parameters
    ----------
    seconds : float, optional
        The longest time, at least 0; 0 means without limit.  By default what the server's
        environment variable ``MIPBOOK_SECONDS`` says, and no limit where it says nothing.

    Raises
    ------
    TimeoutError
        Inside the block, when the time is up.

    Examples
    --------
    >>> with limited(10):
    ...     sum(range(1000))
    499500
    """
    if seconds is None:
        seconds = float(os.environ.get(SECONDS) or 0)
    allowed = validate.number("seconds", seconds, 0)
    main = threading.current_thread() is threading.main_thread()
    if allowed == 0 or not main or not hasattr(signal, "setitimer"):
        yield
        return

    start = time.monotonic()
    left, interval = signal.getitimer(signal.ITIMER_REAL)

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal left
        spent = time.monotonic() - start
        if 0 < left < allowed and callable(handler):
            # The alarm of an outer block, or of a test runner, which is due first.
            left = 0.0
            signal.setitimer(signal.ITIMER_REAL, max(allowed - spent, _SOON))
            handler(number, frame)
        else:
            raise TimeoutError(f"This took longer than the {allowed:g} seconds allowed here.")

    handler = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, min(allowed, left) if left else allowed)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:
            spent = time.monotonic() - start
            signal.setitimer(signal.ITIMER_REAL, max(left - spent, _SOON), interval)


def limit_memory(megabytes: int) -> None:
    """Refuse this process more address space than this; it then gets a ``MemoryError``.

    Parameters
    ----------
    megabytes : int
        The most, at least 1.

    Examples
    --------
    >>> limit_memory(2**40)  # more than any machine has
    """
    size = validate.integer("megabytes", megabytes, 1, 2**40) * 2**20
    if resource is not None:
        now, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = size if now == resource.RLIM_INFINITY else min(size, now)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))  # macOS takes it and does not keep it


def stand_back(pid: int, steps: int = 5) -> None:
    """Let a process of ours wait for the server, and go first when memory is short.

    Parameters
    ----------
    pid : int
        The process.
    steps : int
        How far behind this one it is to stand.
    """
    if hasattr(os, "setpriority"):
        niceness = os.getpriority(os.PRIO_PROCESS, 0) + steps
        os.setpriority(os.PRIO_PROCESS, pid, min(niceness, 19))
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("500", encoding="ascii")
