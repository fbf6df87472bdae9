"""Build pages at every change and reload them in the browser: ``python -m mipbook page --watch``.

The parts are those of sphinx-autobuild: it watches the files, and tells the open page to reload.
Only this machine can reach the server.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from explorable import validate

__all__ = ["watch"]

HOST = "localhost"
_WATCHED = ("book", "mipbook", "_config.yml", "_toc.yml")
_NOT_WATCHED = (r"__pycache__", r"\.ipynb_checkpoints", r"\.py[co]$", r"~$", r"\.sw[px]$", r"/\.#")


def _build(root: Path, names: Sequence[str], *, changed_paths: Sequence[Path]) -> None:
    """Build the pages in a process of its own, so that it loads the code as it stands now."""
    told = [path.relative_to(root).as_posix() for path in changed_paths]
    print(f"Building after a change of {', '.join(told)} ..." if told else "Building ...")
    began = time.perf_counter()
    command = [sys.executable, "-m", "mipbook", "page", *names]
    failed = subprocess.run(command, cwd=root, check=False).returncode
    end = "Not built" if failed else "Built"
    print(f"{end} after {time.perf_counter() - began:.1f} s; waiting for changes.", flush=True)


def watch(root: Path, names: Sequence[str], port: int) -> None:
    """Serve the built book on this machine, and build pages whenever a source changes.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    names : sequence of str
        Pages as ``_toc.yml`` names them; none for all that changed.
    port : int
        Where the server listens.
    """
    with socket.socket() as probe:
        if probe.connect_ex((HOST, port)) == 0:
            validate.refuse("port", port, "free; another program listens there")
    try:
        import uvicorn
        from sphinx_autobuild.filter import IgnoreFilter
        from sphinx_autobuild.middleware import JavascriptInjectorMiddleware
        from sphinx_autobuild.server import RebuildServer
        from starlette.applications import Starlette
        from starlette.middleware import Middleware
        from starlette.middleware.trustedhost import TrustedHostMiddleware
        from starlette.routing import Mount, WebSocketRoute
        from starlette.staticfiles import StaticFiles
    except ModuleNotFoundError as error:
        raise RuntimeError("sphinx-autobuild is missing: pip install sphinx-autobuild") from error

    build = partial(_build, root, names)
    build(changed_paths=())
    html = root / "_build" / "html"
    html.mkdir(parents=True, exist_ok=True)
    ignored = IgnoreFilter([], _NOT_WATCHED)
    watcher = RebuildServer([root / name for name in _WATCHED], ignored, build)
    server = Starlette(
        routes=[
            WebSocketRoute("/websocket-reload", watcher),
            Mount("/", app=StaticFiles(directory=html, html=True)),
        ],
        # A page elsewhere that calls itself by this machine's name is to read nothing.
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=[HOST]),
            Middleware(JavascriptInjectorMiddleware, ws_url=f"{HOST}:{port}"),
        ],
        lifespan=watcher.lifespan,
    )
    first = f"{names[0]}.html" if names else "index.html"
    print(f"Open http://{HOST}:{port}/{first}  (Ctrl+C stops it)", flush=True)
    uvicorn.run(server, host=HOST, port=port, log_level="warning")
