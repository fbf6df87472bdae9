"""Serve the Voila apps of ``book/apps``: ``python -m mipbook apps``.

Voila does the work.  `explorable.serve.serving` sets what a public teaching server needs, gives
the apps a front page, and serves the built book beside them, so that an app's link to its
chapter leads somewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from explorable import threads
from explorable.serve.serving.options import read
from explorable.serve.serving.server import AppServer, server_config
from explorable.serve.web.options import PLAIN, checked_folder, open_more_files
from explorable.serve.web.titles import app_titles

__all__ = ["AppServer", "app_titles", "main", "server_config"]


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
    folder = checked_folder(options)
    threads.single()
    open_more_files()
    server = AppServer(options=options, config=server_config(options))
    server.initialize([str(folder)])
    if not options.is_local:
        print(PLAIN, file=sys.stderr)
    address = f"http://{options.ip}:{options.port}{options.base_url}"
    print(f"mipbook apps: {address}  (Ctrl+C stops them)", flush=True)
    server.start()
