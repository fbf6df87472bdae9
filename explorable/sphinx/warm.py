"""Kernels that need not load the libraries: one process loads them, each kernel is its fork.

A kernel takes about two seconds of the processor before its page's first line; a fork none of
them.  What is loaded before are libraries alone: a page loads the package's modules itself.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import Lock
from typing import Any

from jupyter_client.manager import AsyncKernelManager

__all__ = ["Forked", "warm_kernels"]

# Not matplotlib: it looks for its backend, which a kernel sets, when it is loaded.
_LIBRARIES = (
    *("IPython", "ipykernel.ipkernel", "ipykernel.zmqshell", "numpy", "joblib", "lazy_loader"),
    *("scipy.stats", "scipy.special", "scipy.optimize", "scipy.integrate", "scipy.signal"),
    *("plotly.graph_objects", "plotly.io"),
)
_LAUNCHER = "ipykernel_launcher"


class Forked:
    """A kernel's process, as far as its manager asks; it is no child of this process."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """Return None while the process runs, then 0: nobody asks how it ended."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self) -> int:
        """Return 0; the manager asks only when the process has ended."""
        return 0

    def send_signal(self, number: int) -> None:
        """Send a signal to the process."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the process to end."""
        self.send_signal(signal.SIGTERM)


@contextmanager
def warm_kernels() -> Iterator[type[AsyncKernelManager]]:
    """Give a manager whose kernels are forks of one process; it ends with the block."""
    command = [sys.executable, "-m", __name__]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    lock = Lock()

    class Manager(AsyncKernelManager):
        async def _async_launch_kernel(self, kernel_cmd: list[str], **given: Any) -> None:
            asked = [kernel_cmd, given.get("cwd"), dict(given.get("env") or os.environ)]
            assert self.provisioner is not None
            place: Any = self.provisioner
            with lock:
                print(json.dumps(asked), file=source.stdin, flush=True)
                place.process = Forked(int(source.stdout.readline()))
            place.pid = place.pgid = place.process.pid
            self._reconcile_connection_info(place.connection_info)

    source: Any
    with subprocess.Popen(command, **pipes) as source:
        try:
            yield Manager
        finally:
            source.stdin.close()


def _become_kernel(command: list[str], folder: str | None, environment: Mapping[str, str]) -> None:
    os.setsid()
    for number in (signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # the pipe to the build is not the kernel's
    os.environ.clear()
    os.environ.update(environment)
    if folder:
        os.chdir(folder)
    from ipykernel.kernelapp import launch_new_instance

    # It ends when this process does.
    parent = f"--IPKernelApp.parent_handle={os.getppid()}"
    sys.argv = [*command[command.index(_LAUNCHER) :], parent]
    launch_new_instance(argv=sys.argv[1:])


def main() -> None:
    """Load the libraries, then fork a kernel for each line that is read."""
    for name in _LIBRARIES:
        with suppress(ImportError):
            import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that ended kernels leave nothing behind
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the build is told, and closes the pipe
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            _become_kernel(*json.loads(line))
            os._exit(0)
        print(pid, flush=True)


if __name__ == "__main__":
    main()
