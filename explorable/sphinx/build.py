"""Build the book, whole or some pages of it, once or at every change.

The kernels that execute its pages are forks of one process, which has loaded the libraries.
"""

import argparse
import gc
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

from explorable import settings, validate
from explorable.progress import bar, terminal

# Only to know addresses with accents, jsonschema would compile the 38 grammars of this module, a
# second and a half; it does without them where they are missing.
GRAMMARS = "rfc3987_syntax"
# The package offers no ``python -m``, so its own entry point is called.
START = (
    f"import sys; sys.modules['{GRAMMARS}'] = None; from jupyter_book.cli.main import main; sys.exit(main())"
)
# With the pages of a whole book: of what they were built.
STAMP = Path("_build", "html", ".built")
LOG = Path("_build", "build.log")
_NOT_READ = {"__pycache__", ".ipynb_checkpoints"}
# What a build tells of how far it is: pages that were executed, and Sphinx's own phases.
_EXECUTED = re.compile(r"^\[ *(\d+)/(\d+)\] (\S+)")
_PHASE = re.compile(r"(reading sources|writing output)\.\.\. \[ *(\d+)%\]")
_PANELS = re.compile(r"^\[.*\] \S+ +(\d+) panels")
_FAULT = re.compile(r"WARNING|ERROR|Error\b|CRITICAL")
_SHOWN = 12
# Of a page: the ends of blocks, lines that are no paragraph's, and what in a paragraph is no plain word.
_FENCE = re.compile(r"^\s*(`{3,}|:{3,}|~{3,})")
_NO_WORDS = re.compile(r"[\s#\-+>|:(%=~<]|\*\s|\d+[.)]\s")
_TOKEN = re.compile(r"\{+[^}]*\}+`[^`]*`|`[^`]*`|\[[^\]]*\](?:\([^)]*\))?|\$[^$]*\$|[<>|\\^{}`$\[\]]")


def check_root(root: Path) -> None:
    """Refuse a folder that is not the repository."""
    if not (root / "_config.yml").is_file():
        raise ValueError(f"root = {str(root)!r}: must be the repository's folder, with _config.yml")


def bones(text: str) -> str:
    r"""Return all of a page but the plain words of its paragraphs.

    Two versions with the same bones differ in no title, block, formula, link, role or code, so no
    other page of the book has to be written anew.

    Examples
    --------
    >>> bones("# A\n\nOne word.") == bones("# A\n\nTwo other words."), bones("See [x].") == bones("See.")
    (True, False)
    """
    kept, paragraph = list[str](), list[str]()
    fence = "---" if text.startswith("---") else ""
    for number, line in enumerate([*text.splitlines(), ""]):
        found, is_title = _FENCE.match(line), bool(paragraph) and line.startswith(("=", "-"))
        if fence:
            fence = "" if number and line.strip() == fence else fence
        elif found or is_title or not line.strip() or (not paragraph and _NO_WORDS.match(line)):
            kept += paragraph if is_title else _TOKEN.findall(" ".join(paragraph))
            paragraph.clear()
            fence = found[1] if found else ""
        else:
            paragraph.append(line)
            continue
        kept.append(line)
    return "\n".join(kept)


def inputs(root: Path) -> dict[str, str]:
    """Return digests of all that a build of the book depends on, by name.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    """
    from explorable import sources

    folders = {"book": root / "book", **sources.followed()}
    folders |= {name: root / name for name in folders if (root / name).is_dir()}
    files = {name: root / name for name in ("_config.yml", "_toc.yml", "constraints.txt")}
    for name, folder in folders.items():
        files |= {f"{name}/{path.relative_to(folder).as_posix()}": path for path in folder.rglob("*")}
    found = {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in sorted(files.items())
        if not _NOT_READ & {*path.parts} and path.is_file()
    }
    asked = (settings.variable("REPOSITORY_URL"), settings.variable("REPOSITORY_BRANCH"), "SOURCE_DATE_EPOCH")
    told = {name: os.environ.get(name, "") for name in asked}
    return {**found, "": json.dumps([sources.versions(), told])}


def _last(root: Path) -> dict[str, Any]:
    """Return of what the last good build was made: digests, and the bones of pages."""
    with suppress(OSError, ValueError):
        found = json.loads((root / STAMP).read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}
    return {}


def is_current(root: Path) -> bool:
    """Say whether the book was built, whole and without a failure, from what stands there now.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    """
    return bool(_last(root).get("inputs") == inputs(root))


def build(root: Path, tell: Callable[[str], None] = print) -> Path:
    """Build what changed since the last good build, and return the book's first page.

    Where nothing changed, nothing is built; where plain words of pages changed, these pages alone;
    else the chapters that changed are executed, and all pages written.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder, with ``_config.yml``.
    tell : callable
        Takes each line for who waits; what Sphinx tells goes into a file of its own.

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
    began, page = time.perf_counter(), root / "_build" / "html" / "index.html"
    last, now = _last(root), inputs(root)
    pages = {
        path.relative_to(root).as_posix(): hashlib.sha256(bones(path.read_text("utf-8")).encode()).hexdigest()
        for path in sorted((root / "book").rglob("*.md"))
    }
    before = last.get("inputs", {}) if page.is_file() else {}
    changed = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    if not changed:
        tell("Nothing has changed since the last build.")
        return page
    (root / "_build").mkdir(exist_ok=True)
    words = [name for name in changed if name in pages and last.get("bones", {}).get(name) == pages[name]]
    if before and words == changed:
        tell(f"In plain words alone differ: {', '.join(words)}")
        _quietly(partial(build_pages, root, words), root)
    else:
        # Warnings are only raised for pages that are read, so such a build reads them all;
        # executed notebooks stay in the cache.
        for stale in ("html", ".doctrees"):
            shutil.rmtree(root / "_build" / stale, ignore_errors=True)
        _build_whole(root, tell)
    (root / STAMP).write_text(json.dumps({"inputs": now, "bones": pages}), encoding="utf-8")
    told = f"{len([*(root / '_build' / 'html' / 'book').rglob('*.html')])} pages"
    tell(f"Built in {time.perf_counter() - began:.0f} s: {told}. Sphinx's own words: {LOG.as_posix()}")
    return page


def _quietly(act: Callable[[], Any], root: Path) -> None:
    """Do what prints a lot, with what it prints in the log."""
    log = (root / LOG).open("w", encoding="utf-8")
    with log, redirect_stdout(log), redirect_stderr(log), suppress(RuntimeError):
        act()
        return
    raise RuntimeError(_fault(root))


def _fault(root: Path) -> str:
    """Return what is wrong with the book: warnings and errors of the log, or else its last lines."""
    lines = [line for line in (root / LOG).read_text(encoding="utf-8").splitlines() if line.strip()]
    wrong = list(dict.fromkeys(line for line in lines if _FAULT.search(line)))[:_SHOWN]
    said = "\n".join([*wrong, "...", *lines[-_SHOWN:]] if wrong else lines[-_SHOWN:])
    return f"{said}\nthe book was not built; all that Sphinx said stands in {LOG.as_posix()}"


def _build_whole(root: Path, tell: Callable[[str], None]) -> None:
    """Build all pages in a process of its own; tell what matters, and show how far it is."""
    command = [sys.executable, "-c", START, "build", str(root), "-W", "-n", "--keep-going"]
    said: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    panels, phase, own = 0, "", f"{settings.name()}: "
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with (
        (root / LOG).open("w", encoding="utf-8", buffering=1) as log,
        terminal() as stream,
        bar(stream, what="build", unit=" pages", total=100, disable=not stream.isatty()) as shown,
        subprocess.Popen(command, cwd=root, env=environment, errors="replace", **said) as running,
    ):
        for line in running.stdout or ():
            log.write(line)
            executed, found, has = _EXECUTED.match(line), _PHASE.search(line), _PANELS.match(line)
            panels += int(has[1]) if has else 0
            if executed:
                _show(shown, "executing", int(executed[1]), int(executed[2]))
            elif found:
                _show(shown, found[1], int(found[2]), 100)
                if found[1] != phase:
                    phase = found[1]
                    tell(f"{phase.capitalize()} ...")
            elif line.startswith(own):
                tell(line.removeprefix(own).strip().capitalize())
    if running.returncode:
        raise RuntimeError(_fault(root))
    tell(f"{panels} panels hold their states.")


def _show(shown: Any, what: str, done: int, total: int) -> None:
    shown.set_description_str(what, refresh=False)
    shown.total, shown.n = total, done
    shown.refresh()


def main() -> None:
    """Build the book in the current folder."""
    argparse.ArgumentParser(prog=f"{settings.book().command} build", description=main.__doc__).parse_args()
    page = build(Path.cwd(), partial(print, flush=True))
    print(f"Open {page.as_uri()}")


_BIBLIOGRAPHY = "book/reference/bibliography"


def _names(root: Path, asked: Sequence[str]) -> list[str]:
    """Find pages in the table of contents by the end of their name."""
    from sphinx_external_toc.parsing import parse_toc_yaml

    pages = list(parse_toc_yaml(root / "_toc.yml"))
    return by_end(asked, pages, "page", "page of the book")


def _with_bibliography(root: Path, names: list[str]) -> list[str]:
    """Add the page of references where these have changed: a new one is looked up there."""
    references, built = root / "book" / "references.bib", root / "_build" / "html" / f"{_BIBLIOGRAPHY}.html"
    if not names or _BIBLIOGRAPHY in names or not (references.is_file() and built.is_file()):
        return names
    return [*names, _BIBLIOGRAPHY] if references.stat().st_mtime > built.stat().st_mtime else names


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
    asked_of: dict[str, Any] = {"external_toc_path": (root / "_toc.yml").as_posix(), "nitpicky": True}
    asked_of |= {"latex_individualpages": False, "explorable_pages": names}
    settled = {"path_config": root / "_config.yml", "noconfig": True, "confoverrides": asked_of}
    strict = {"warningiserror": True, "keep_going": True, "quiet": True}
    # What stands there from now on is no whole book of one state.
    (root / STAMP).unlink(missing_ok=True)
    if build_sphinx(root, html, filenames=[_source(root, name) for name in names], **settled, **strict):
        raise RuntimeError("the pages were not built; the messages above say why")
    return [html / f"{name}.html" for name in names]


def main_page(arguments: Sequence[str] | None = None) -> None:
    """Build some pages of the book, such as pmp/gaussian, once or at every change.

    Pages that are named are rendered anew into the built book, executed only if something that they
    depend on has changed; without a name, all pages that changed.  The other pages are left as they
    stand, and so is the page of results, which needs all checks.  With ``--watch`` the book is served
    on this machine, and a page is loaded anew when it was built again.
    """
    parser = argparse.ArgumentParser(prog=f"{settings.book().command} page", description=main_page.__doc__)
    parser.add_argument("pages", nargs="*", help="such as pmp/gaussian; none for all that changed")
    parser.add_argument("--watch", action="store_true", help="serve it here, rebuild as you save")
    parser.add_argument("--port", type=int, default=8000, help="with --watch (default: 8000)")
    options = parser.parse_args(arguments)
    root = Path.cwd()
    if options.watch:
        check_root(root)
        watch(root, _names(root, options.pages), options.port)
        return
    for page in build_pages(root, options.pages):
        print(f"Open {page.as_uri()}")
    if not options.pages:
        print("The page of results stands as the last whole build left it.")


HOST = "localhost"
_NOT_WATCHED = (r"__pycache__", r"\.ipynb_checkpoints", r"\.py[co]$", r"~$", r"\.sw[px]$", r"/\.#")


def _build_again(root: Path, names: Sequence[str], *, changed_paths: Sequence[Path]) -> None:
    """Build the pages in a process of its own, so that it loads the code as it stands now."""
    told = [path.relative_to(root).as_posix() for path in changed_paths]
    print(f"Building after a change of {', '.join(told)} ..." if told else "Building ...")
    began = time.perf_counter()
    command = [sys.executable, "-m", settings.name(), "page", *names]
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
    import uvicorn
    from sphinx_autobuild.filter import IgnoreFilter
    from sphinx_autobuild.middleware import JavascriptInjectorMiddleware
    from sphinx_autobuild.server import RebuildServer
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.routing import Mount, WebSocketRoute
    from starlette.staticfiles import StaticFiles

    from explorable import sources

    again = partial(_build_again, root, names)
    again(changed_paths=())
    html = root / "_build" / "html"
    html.mkdir(parents=True, exist_ok=True)
    watched = [root / "book", root / "_config.yml", root / "_toc.yml", *sources.followed().values()]
    watcher = RebuildServer(watched, IgnoreFilter([], _NOT_WATCHED), again)
    site = Mount("/", app=StaticFiles(directory=html, html=True))
    # A page elsewhere that calls itself by this machine's name is to read nothing.
    guard = Middleware(TrustedHostMiddleware, allowed_hosts=[HOST])
    reload = Middleware(JavascriptInjectorMiddleware, ws_url=f"{HOST}:{port}")
    server = Starlette(
        routes=[WebSocketRoute("/websocket-reload", watcher), site],
        middleware=[guard, reload],
        lifespan=watcher.lifespan,
    )
    first = names[0] if names else "index"
    print(f"Open http://{HOST}:{port}/{first}.html  (Ctrl+C stops it)", flush=True)
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


_LIBRARIES = (
    *("IPython", "ipykernel.ipkernel", "ipykernel.zmqshell", "numpy", "joblib", "lazy_loader"),
    *("scipy.stats", "scipy.special", "scipy.optimize", "scipy.integrate", "scipy.signal"),
    *("plotly.graph_objects", "plotly.io", "explorable.panels.static"),
)


@dataclass
class _Forked:
    """A kernel's process, as far as its manager asks; it is no child of this process."""

    pid: int
    stdin = stdout = stderr = None

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
        """End the process at once; Windows, which imports this module too, has no such signal."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the process to end."""
        self.send_signal(signal.SIGTERM)


@contextmanager
def warm_kernels() -> Iterator[Any]:
    """Give a manager whose kernels are forks of one process; it ends with the block.

    A kernel takes about two seconds of the processor before its page's first line; a fork none of
    them, and finds the libraries and the book's own package loaded.
    """
    from jupyter_client.manager import AsyncKernelManager

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
                place.process = _Forked(int(source.stdout.readline()))
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
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
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
    sys.argv = [*command[command.index("ipykernel_launcher") :], parent]
    launch_new_instance(argv=sys.argv[1:])


def fork_kernels() -> None:
    """Load the libraries and the book's package, then fork a kernel for each line that is read."""
    # It looks for its backend, which a kernel sets, when it is loaded.
    sys.modules["matplotlib"] = None  # type: ignore[assignment]
    for name in (*_LIBRARIES, *settings.modules()):
        with suppress(ImportError):
            import_module(name)
    del sys.modules["matplotlib"]
    import_module("plotly.graph_objects").Figure(layout={"title": {"text": ""}})  # loads its rules
    # A collector need not look through what was loaded, nor often through the trees of a page's states.
    gc.freeze()
    gc.set_threshold(100_000)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that ended kernels leave nothing behind
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the build is told, and closes the pipe
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            _become_kernel(*json.loads(line))
            os._exit(0)
        print(pid, flush=True)
