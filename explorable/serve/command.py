"""Serve the apps without a kernel a visitor: ``python -m mipbook serve``."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Sequence

from hypercorn.asyncio import serve
from hypercorn.config import Config

from explorable import threads
from explorable.serve.service.options import Options, read
from explorable.serve.service.pool import Pool
from explorable.serve.service.server import Service
from explorable.serve.web.options import PLAIN, checked_folder, open_more_files

__all__ = ["main"]

# A head that is not whole by then, or a connection on which nothing is asked, is closed.
_SECONDS_FOR_A_HEAD = 10
_LONGEST_HEAD = 32_000


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
        service = Service(options, pool, pool.described(), folder.parents[1] / "_build" / "html")
        if not options.is_local:
            print(PLAIN, file=sys.stderr)
        address = f"http://{options.ip}:{options.port}{options.base_url}"
        print(f"mipbook serve: {address}  (Ctrl+C stops it)", flush=True)
        asyncio.run(serve(service.application(), _config(options)))  # type: ignore[arg-type]
    finally:
        pool.stop()


def _config(options: Options) -> Config:
    config = Config()
    name = f"[{options.ip}]" if ":" in options.ip else options.ip
    config.bind = [f"{name}:{options.port}"]
    config.alpn_protocols = ["http/1.1"]
    config.keep_alive_timeout = _SECONDS_FOR_A_HEAD
    config.h11_max_incomplete_size = _LONGEST_HEAD
    config.graceful_timeout = 5
    config.include_server_header = False
    # Nothing is logged of a visit; addresses least of all.
    config.accesslog, config.loglevel = None, "WARNING"
    return config
