"""Serve the apps without a kernel a visitor: ``python -m mipbook serve``."""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from mipbook.base import threads
from mipbook.publish.service.options import read
from mipbook.publish.service.pool import Pool
from mipbook.publish.service.server import Service
from mipbook.publish.web.options import PLAIN, checked_folder, open_more_files

__all__ = ["main"]

_SECONDS_WITHOUT_REQUEST = 60
_LONGEST_HEADERS = 32_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the apps until interrupted.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line, by default the process's own; ``--help`` tells what it takes.

    Raises
    ------
    ValueError
        If the folder holds no app, or one that cannot be served, the port is taken, or an option
        is out of its range.
    """
    options = read(arguments)
    folder = checked_folder(options)
    threads.single()
    open_more_files()
    # Whoever stops the server lets it end its workers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    pool = Pool(options, str(folder))
    try:
        apps = pool.described()
        with tempfile.TemporaryDirectory(prefix="mipbook-") as files:
            built = folder.parents[1] / "_build" / "html"
            service = Service(options, pool, apps, built, Path(files))
            if not options.is_local:
                print(PLAIN, file=sys.stderr)
            address = f"http://{options.ip}:{options.port}{options.base_url}"
            print(f"mipbook serve: {address}  (Ctrl+C stops it)", flush=True)
            # Nothing is logged of a visit; addresses least of all.
            uvicorn.run(
                service.application(),
                host=options.ip,
                port=options.port,
                access_log=False,
                log_level="warning",
                server_header=False,
                proxy_headers=False,
                ws="none",
                lifespan="off",
                timeout_keep_alive=_SECONDS_WITHOUT_REQUEST,
                timeout_graceful_shutdown=5,
                h11_max_incomplete_event_size=_LONGEST_HEADERS,
            )
    finally:
        pool.stop()
