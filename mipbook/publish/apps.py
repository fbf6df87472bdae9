"""Serve the Voila apps of ``book/apps``: ``python -m mipbook apps``.

Voila does the work.  `mipbook.publish.serving` sets what a public teaching server needs, gives
the apps a front page, and serves the built book beside them, so that an app's link to its
chapter leads somewhere.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from mipbook.base import threads, validate
from mipbook.publish.serving.options import Options, read
from mipbook.publish.serving.server import AppServer, server_config
from mipbook.publish.serving.titles import app_titles

__all__ = ["AppServer", "app_titles", "main", "server_config"]

_PLAIN = """Warning: others can reach this server, and it speaks plain http, so that whoever sits on
the way can read and change what is sent, files included. See "Serve it to others" in the README."""


def _open_more_files() -> None:
    """Raise the number of open files, of which each visitor takes about twenty-five."""
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _checked(options: Options) -> Path:
    """Return the folder of the apps; refuse an empty one, or a port that is taken."""
    folder = Path(options.folder).resolve()
    if not app_titles(folder):
        validate.refuse("folder", options.folder, "a folder with at least one .ipynb app")
    with socket.socket() as probe:
        if probe.connect_ex((options.ip, options.port)) == 0:
            validate.refuse("port", options.port, "free; another program listens there")
    return folder


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the apps until interrupted.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line, by default the process's own; ``--help`` tells what it takes.

    Raises
    ------
    ValueError
        If the folder holds no app, the port is taken, or an option is out of its range.
    """
    options = read(arguments)
    folder = _checked(options)
    threads.single()
    _open_more_files()
    server = AppServer(options=options, config=server_config(options))
    server.initialize([str(folder)])
    if not options.is_local:
        print(_PLAIN, file=sys.stderr)
    address = f"http://{options.ip}:{options.port}{options.base_url}"
    print(f"mipbook apps: {address}  (Ctrl+C stops them)", flush=True)
    server.start()
