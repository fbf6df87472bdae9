"""Build the book, whole or some pages of it, once or at every change.

``python -m mipbook build`` writes ``_build/html`` and says where it is.

``python -m mipbook page pmp/gaussian`` renders pages that are named anew into the built book,
executed only if something that they depend on has changed; without a name, all pages that changed.
The other pages are left as they stand, and so is the page of results, which needs all checks.  With
``--watch`` it serves the book on this machine, and reloads a page when it was built again; the parts
are those of sphinx-autobuild.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

from jupyter_client.manager import AsyncKernelManager

from explorable import validate

# Only to know addresses with accents, jsonschema would compile the 38 grammars of this module, a
# second and a half; it does without them where they are missing.
GRAMMARS = "rfc3987_syntax"
# The package offers no ``python -m``, so its own entry point is called.
START = (
    f"import sys; sys.modules['{GRAMMARS}'] = None; from jupyter_book.cli.main import main; sys.exit(main())"
)
STAMP = Path("_build", "html", ".built")  # with the pages of a whole book, from before its build


def check_root(root: Path) -> None:
    """Refuse a folder that is not the repository."""
    if not (root / "_config.yml").is_file():
        raise ValueError(f"root = {str(root)!r}: must be the repository's folder, with _config.yml")


def build(root: Path) -> Path:
    """Execute the chapters that changed, write the HTML book, return its first page.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder, with ``_config.yml``.

    Returns
    -------
    pathlib.Path
        The first page of the book.

    Raises
    ------
    ValueError
        If ``root`` is not the repository.
    RuntimeError
        If the build fails; every warning counts as a failure.
    """
    check_root(root)
    started = time.time()
    # Warnings are only raised for pages that are read, so every build reads them all;
    # executed notebooks stay in the cache.
    for stale in ("html", ".doctrees"):
        shutil.rmtree(root / "_build" / stale, ignore_errors=True)
    options = ["build", str(root), "-W", "-n", "--keep-going"]
    if subprocess.run([sys.executable, "-c", START, *options], cwd=root, check=False).returncode:
        raise RuntimeError("the book was not built; the messages above say why")
    (root / STAMP).touch()
    os.utime(root / STAMP, (started, started))
    return root / "_build" / "html" / "index.html"


def is_current(root: Path) -> bool:
    """Say whether the book was built, whole and without a failure, from what stands there now.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.

    Returns
    -------
    bool
        True if no chapter, no line of the package and no pin is newer than the start of the
        last build that succeeded.
    """
    sources = [root / name for name in ("_config.yml", "_toc.yml", "constraints.txt")]
    sources += [
        path
        for folder in ("book", "mipbook")
        for path in (root / folder).rglob("*")
        if path.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & {*path.parts}
    ]
    stamp = root / STAMP
    newest = max(path.stat().st_mtime for path in sources)
    return stamp.is_file() and stamp.stat().st_mtime >= newest


def main() -> None:
    """Build the book in the current folder."""
    page = build(Path.cwd())
    print(f"\nThe book is built. Open {page.as_uri()}")


_BIBLIOGRAPHY = "book/reference/bibliography"


def _names(root: Path, asked: Sequence[str]) -> list[str]:
    """Find pages in the table of contents by the end of their name."""
    from sphinx_external_toc.parsing import parse_toc_yaml

    pages = list(parse_toc_yaml(root / "_toc.yml"))
    return by_end(asked, pages, "page", "page of the book")


def _with_bibliography(root: Path, names: list[str]) -> list[str]:
    """Add the page of references where these have changed: a new one is looked up there."""
    page, references = _BIBLIOGRAPHY, root / "book" / "references.bib"
    built = root / "_build" / "html" / f"{page}.html"
    if not names or page in names or not (references.is_file() and built.is_file()):
        return names
    return [*names, page] if references.stat().st_mtime > built.stat().st_mtime else names


def _source(root: Path, name: str) -> str:
    return next(str(p) for end in (".md", ".ipynb", ".rst") if (p := root / f"{name}{end}").is_file())


def build_pages(root: Path, asked: Sequence[str] = ()) -> list[Path]:
    """Render some pages into ``_build/html``, and return their files; none if none was named.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder, with ``_config.yml``.
    asked : sequence of str
        Pages by their name in ``_toc.yml``, or its end; none for all that changed.

    Raises
    ------
    ValueError
        If ``root`` is not the repository, or a name does not fit one page.
    RuntimeError
        If a page fails; every warning counts as a failure.
    """
    check_root(root)
    names = _with_bibliography(root, _names(root, asked))
    sys.modules.setdefault(GRAMMARS, None)  # type: ignore[arg-type]
    from jupyter_book.sphinx import build_sphinx

    html = root / "_build" / "html"
    # As `jupyter-book build -n` sets it: Sphinx reads everything again after another setting.
    settings: dict[str, Any] = {
        "external_toc_path": (root / "_toc.yml").as_posix(),
        "latex_individualpages": False,
        "nitpicky": True,
        "mipbook_pages": names,
    }
    done = build_sphinx(
        root,
        html,
        noconfig=True,
        path_config=root / "_config.yml",
        confoverrides=settings,
        filenames=[_source(root, name) for name in names],
        warningiserror=True,
        keep_going=True,
        quiet=True,
    )
    if done:
        # What stands there now is no whole book without a fault.
        (root / STAMP).unlink(missing_ok=True)
        raise RuntimeError("the pages were not built; the messages above say why")
    return [html / f"{name}.html" for name in names]


def main_page(arguments: Sequence[str] | None = None) -> None:
    """Build the pages that the command line names, once or at every change."""
    parser = argparse.ArgumentParser(prog="python -m mipbook page", description=__doc__)
    parser.add_argument("pages", nargs="*", help="such as pmp/gaussian; none for all that changed")
    parser.add_argument("--watch", action="store_true", help="serve it here, rebuild as you save")
    parser.add_argument("--port", type=int, default=8000, help="with --watch (default: 8000)")
    options = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    root = Path.cwd()
    if options.watch:
        from explorable.sphinx.build import watch

        check_root(root)
        watch(root, _names(root, options.pages), options.port)
        return
    for page in build_pages(root, options.pages):
        print(f"Open {page.as_uri()}")
    if not options.pages:
        print("The page of results stands as the last whole build left it.")


HOST = "localhost"
_WATCHED = ("book", "mipbook", "_config.yml", "_toc.yml")
_NOT_WATCHED = (r"__pycache__", r"\.ipynb_checkpoints", r"\.py[co]$", r"~$", r"\.sw[px]$", r"/\.#")


def _build_again(root: Path, names: Sequence[str], *, changed_paths: Sequence[Path]) -> None:
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

    build = partial(_build_again, root, names)
    build(changed_paths=())
    html = root / "_build_again" / "html"
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


def by_end(asked: Sequence[str], pages: Sequence[str], argument: str, kind: str) -> list[str]:
    """Return the pages that are asked for, each once, in the order of asking.

    Parameters
    ----------
    asked : sequence of str
        Names or the ends of names, with an ending of a file or without.
    pages : sequence of str
        All names.
    argument, kind : str
        What a refusal calls the name, and what it should have been.

    Raises
    ------
    ValueError
        If a name does not fit one page.

    Examples
    --------
    >>> by_end(["noise.md"], ["book/mip/noise", "book/index"], "page", "page of the book")
    ['book/mip/noise']
    """
    found = []
    for name in asked:
        bare = re.sub(r"\.(md|ipynb|rst)$", "", name).strip("/")
        fits = [page for page in pages if f"/{page}".endswith(f"/{bare}")]
        if len(fits) != 1:
            validate.refuse(argument, name, f"one {kind}: {', '.join(fits or pages)}")
        found += fits
    return list(dict.fromkeys(found))


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
    command = [sys.executable, "-c", f"from {__name__} import fork_kernels; fork_kernels()"]
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


def fork_kernels() -> None:
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
