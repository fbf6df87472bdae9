"""Execute the book's pages side by side, before Sphinx reads them one by one.

MyST-NB executes a page when it reads it, and takes from its cache what is there. So all pages
that the cache does not hold are executed first, as many at once as there are cores. Its cache
knows a page by its code alone; what else the page depends on is compared here. A page that
fails is left to MyST-NB, which executes it again and tells what is wrong with it.

The configuration value ``explorable_pages`` says what to build: None for a whole book, a list of
pages for these alone, an empty list for all pages that something changed below.  Sphinx numbers
figures and statements anew at every build, and for that reads all pages, with all that their
panels hold; so a page's skeleton is kept when it is read: its parts and what has a number.

What was executed is told on the page of the last execution, where nothing is typed.  Where
``SOURCE_DATE_EPOCH`` asks for a build that can be repeated byte for byte, what depends on the
machine and the hour is left out.

Numbers in the text come from the cells: ``{eval}`found```, MyST-NB's own role, which asks a kernel that
runs beside Sphinx.  Here the page's own kernel is asked when the text is reached, as a notebook with MyST
does, and what it tells is kept with the page's record. A value is what ``str`` makes of the expression,
read as Markdown. A page may tell what another one found: ``{eval}`mip/noise: found```.
"""

from __future__ import annotations

import ast
import glob
import json
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from docutils import nodes
from joblib import Parallel, cpu_count, delayed
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbclient.util import ensure_async
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from explorable import settings, sources
from explorable.checks import boxes
from explorable.sphinx.build import warm_kernels

_logger = logging.getLogger(__name__)
T = TypeVar("T")
CACHE = Path("_build", ".jupyter_cache")
_FILE = "pages.json"


@dataclass(frozen=True)
class Record:
    """One execution of a page.

    Parameters
    ----------
    digest : str
        Of the page's code and of all that it can reach.
    panels : dict
        From each panel's name to its states and its size in bytes.
    seconds : float
        From the start of its kernel to the end.
    cores, beside : int
        The machine's cores, and how many pages were executed at the same time.
    values : dict
        From each expression that stands in the text to its value.
    """

    digest: str
    panels: dict[str, tuple[int, int]]
    seconds: float
    cores: int
    beside: int
    values: dict[str, str]

    @property
    def states(self) -> int:
        """The states of all its panels."""
        return sum(states for states, _ in self.panels.values())

    @property
    def size(self) -> int:
        """The bytes of all its panels."""
        return sum(size for _, size in self.panels.values())


def load_records(folder: Path) -> dict[str, Record]:
    """Return the records of a cache's folder by page; none where there are none of this form."""
    try:
        found = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        return {name: Record(**record) for name, record in found.items()}
    except (AttributeError, FileNotFoundError, TypeError, ValueError):
        return {}


def with_values(root: Path, page: str) -> str:
    """Return the text of a page with the values that the last build of the book found."""
    known = {name: record.values for name, record in load_records(root / CACHE).items()}
    return inserted((root / f"{page}.md").read_text(encoding="utf-8"), page, known)


def save_records(folder: Path, records: dict[str, Record]) -> None:
    """Keep the records in a cache's folder, whole or not at all."""
    told = {name: asdict(record) for name, record in sorted(records.items())}
    sources.put(folder / _FILE, json.dumps(told, indent=1))


class PerPage(Generic[T]):
    """What is kept of each page from when it is read, while it stands: by its name.

    Parameters
    ----------
    name : str
        Under which Sphinx keeps it.
    """

    all: ClassVar[list[PerPage[Any]]] = []

    def __init__(self, name: str) -> None:
        self._name = f"explorable_{name}"
        self.all.append(self)

    def of(self, env: Any) -> dict[str, T]:
        """Return what is kept, by page; it may be changed in place."""
        found: dict[str, T] = vars(env).setdefault(self._name, {})
        return found


def forget_page(app: Any, env: Any, page: str) -> None:
    """Forget all of a page that is read anew, or gone."""
    for kept in PerPage.all:
        kept.of(env).pop(page, None)


def merge_pages(app: Any, env: Any, pages: Collection[str], other: Any) -> None:
    """Take what another process kept of the pages that it read."""
    for kept in PerPage.all:
        kept.of(env).update({page: what for page, what in kept.of(other).items() if page in pages})


# --- Values in the text ------------------------------------------------------------------------

_ROLE = re.compile(r"\{eval\}`([^`]+)`")
_ELSEWHERE = re.compile(r"([\w-]+/[\w-]+):\s*(.+)", flags=re.DOTALL)


def expressions(text: str) -> list[str]:
    """Return the expressions of a page's own that stand in Markdown, each once.

    Examples
    --------
    >>> expressions("Of {eval}`n` records {eval}`found`, and {eval}`mip/noise: found` there.")
    ['n', 'found']
    """
    return [told for told in dict.fromkeys(_ROLE.findall(text)) if not _ELSEWHERE.fullmatch(told)]


def inserted(text: str, page: str, values: Mapping[str, Mapping[str, str]]) -> str:
    """Return Markdown with the values in the place of their roles; the name where none is known.

    Parameters
    ----------
    text : str
        Markdown.
    page : str
        Where it stands, such as ``book/mip/noise``.
    values : mapping
        From each page to its values by expression.

    Examples
    --------
    >>> inserted("Of {eval}`n` {eval}`found`.", "book/mip/noise", {"book/mip/noise": {"n": "100"}})
    'Of 100 `found`.'
    """

    def value(role: re.Match[str]) -> str:
        place, expression = _placed(role[1], page)
        return values.get(place, {}).get(expression, f"`{expression}`")

    return _ROLE.sub(value, text)


def _placed(told: str, page: str) -> tuple[str, str]:
    """Return the page that a role asks, and its expression."""
    elsewhere = _ELSEWHERE.fullmatch(told)
    return (f"book/{elsewhere[1]}", elsewhere[2]) if elsewhere else (page, told)


class Asking(NotebookClient):
    """Executes a notebook and asks its kernel for what stands in the text, where it stands."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # What the kernel told, by expression; what it could not tell, or told in two ways.
        self.values, self.faults = dict[str, str](), list[str]()

    async def async_execute_cell(self, cell: Any, cell_index: int, *args: Any, **options: Any) -> Any:
        """Execute a cell of code as ever; of a cell of text, ask for its expressions."""
        if cell.cell_type == "markdown" and (asked := expressions(cell.source)):
            strings = {told: f"str({told})" for told in asked}
            number = await ensure_async(self.kc.execute("", silent=True, user_expressions=strings))
            reply = await self.async_wait_for_reply(number, cell)
            for name, found in reply["content"].get("user_expressions", {}).items():
                if found["status"] != "ok":
                    self.faults.append(f"{name}: {found['ename']}: {found['evalue']}")
                    continue
                value = ast.literal_eval(found["data"]["text/plain"])
                if self.values.setdefault(name, value) != value:
                    self.faults.append(f"{name}: both {self.values[name]} and {value} on one page")
        return await super().async_execute_cell(cell, cell_index, *args, **options)


class _Eval(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        app, here = self.env.app, self.env.docname
        place, expression = _placed(self.text, here)
        if place != here:
            self.env.note_reread()
        value = getattr(app, "explorable_values", {}).get(place, {}).get(expression)
        if value is None:
            # A page that is read for its title alone was not executed.
            if here in (app.config.explorable_pages or [here]):
                _logger.warning("eval: %s has no value %r", place, expression, location=self.get_location())
            return [nodes.Text(expression)], []
        inliner: Any = self.inliner
        parsed, messages = inliner.parse(value, self.lineno, inliner, inliner.parent)
        return parsed, messages


# --- Some pages alone -----------------------------------------------------------------------

SKELETONS: PerPage[nodes.Element] = PerPage("skeletons")


def skeleton(node: nodes.Element, env: Any) -> nodes.Element | None:
    """Return what of a page Sphinx looks at when it gives numbers; None if that is nothing."""
    inner = [skeleton(each, env) for each in node.children if isinstance(each, nodes.Element)]
    kept: list[nodes.Node] = [each for each in inner if each is not None]
    has_number = any(domain.get_enumerable_node_type(node) for domain in env.domains.values())
    if not (kept or has_number or isinstance(node, nodes.section | addnodes.toctree)):
        return type(node)("", node.astext()) if isinstance(node, nodes.title | nodes.caption) else None
    bare = nodes.Element() if isinstance(node, nodes.document) else node.copy()
    # A node drags its whole page along.
    bare.document, bare.rawsource = None, ""
    bare += kept
    return bare


def keep_skeleton(app: Any, doctree: nodes.document) -> None:
    """Keep the skeleton of a page that was read."""
    SKELETONS.of(app.env)[app.env.docname] = skeleton(doctree, app.env) or nodes.Element()


def number_skeletons(app: Any, env: Any) -> list[str]:
    """Let Sphinx give numbers by the skeletons, not by all that the panels of all pages hold."""
    env.get_doctree = SKELETONS.of(env).__getitem__
    return []


def number_no_more(app: Any, env: Any) -> list[str]:
    """Let Sphinx have the pages themselves again."""
    del env.get_doctree
    return []


def leave_others(app: Any, wanted: Collection[str]) -> None:
    """Let the builder write the wanted pages alone; others only where there are none yet."""
    builder = app.builder
    serial = builder._write_serial

    def write(names: Collection[str]) -> None:
        serial([n for n in names if n in wanted or not Path(builder.get_outfilename(n)).is_file()])

    builder._write_serial = write
    # A page that was just put under another has its place there, though that is not read again.
    for name, document in app.config.external_site_map.items():
        for child in document.child_files():
            app.env.files_to_rebuild.setdefault(child, set()).add(name)
    if Path(builder.get_outfilename("search")).is_file():
        builder.gen_indices = builder.gen_additional_pages = lambda: None


def load_index(builder: Any, names: Collection[str]) -> None:
    """Load the search index of the pages that are not built; Sphinx would warn of one too few."""
    path = Path(builder.outdir, builder.searchindex_filename)
    with suppress(OSError, ValueError), path.open(encoding="utf-8") as stream:
        builder.indexer.load(stream, builder.indexer_format)
        builder.indexer.prune(set(builder.env.all_docs) - set(names))


# A page shares the cores with others, so its panels are not to take them all.
_CORES = "LOKY_MAX_CPU_COUNT"
# From so many pages on, a process that loads the libraries for all of them pays.
_MANY = 4
_PANEL = re.compile(r'<section class="mb-explorable" id="([^"]+)".*? data-states="(\d+)"')


@dataclass
class Page:
    """A page with code, and how its execution went."""

    name: str
    path: Path
    notebook: Any
    digest: str
    seconds: float = 0.0
    values: dict[str, str] = field(default_factory=dict)
    failed: str = ""

    def execute(self, timeout: int, manager: Any = None) -> Page:
        """Execute the page's notebook in place; never raise what it raises."""
        started, options = time.perf_counter(), {"kernel_manager_class": manager} if manager else {}
        # With times the cache would not know the page again.
        options |= {"timeout": timeout, "record_timing": False}
        # The kernel's warnings about itself would stand between the lines of the build's table.
        options |= {"extra_arguments": ["--IPKernelApp.log_level=ERROR"]}
        client = Asking(self.notebook, resources={"metadata": {"path": str(self.path.parent)}}, **options)
        try:
            client.execute()
            self.failed = "; ".join(f"eval: {fault}" for fault in client.faults)
        except (CellExecutionError, CellTimeoutError) as error:
            self.failed = f"failed: {str(error).strip().splitlines()[-1]}"
        self.seconds, self.values = time.perf_counter() - started, client.values
        return self

    def is_in(self, known: Mapping[str, Record]) -> bool:
        """Say whether it was executed as it is."""
        return self.name in known and known[self.name].digest == self.digest

    def weight(self) -> tuple[int, int]:
        """Return what tells before it runs whether a page takes long: panels, then length."""
        source = "".join(cell.source for cell in self.notebook.cells)
        return source.count("Explorable("), len(source)

    def record(self, cores: int, beside: int) -> Record:
        """Return what is kept of an execution on that many cores, that many at once."""
        outputs = (out for cell in self.notebook.cells for out in cell.get("outputs", ()))
        texts = ("".join(out.get("data", {}).get("text/html", "")) for out in outputs)
        shown = [(_PANEL.search(text), len(text.encode())) for text in texts]
        panels = {found[1]: (int(found[2]), size) for found, size in shown if found}
        seconds = round(self.seconds, 1)
        return Record(self.digest, panels, seconds, cores, beside, self.values)


def _line(name: str, record: Record) -> str:
    """Return a line of the build's table."""
    panels = f"{len(record.panels):3} panels {record.states:6,} states {record.size / 1000:6,.0f} kB"
    return f"{name:36} {panels} {record.seconds:6.1f} s"


def _digest(notebook: Any, folder: Path) -> str:
    """Digest a page's code, the statements that it reads, and all of the package that it may depend on."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    cells += [told for cell in notebook.cells for told in expressions(cell.source)]
    lines = (line for cell in cells for line in cell.splitlines())
    source = "\n".join(line for line in lines if not line.startswith("%"))
    return sources.digest(f"{source}\n{boxes.read_by(source, folder)!r}")


def _folder(env: Any) -> Path:
    return Path(env.mystnb_config.execution_cache_path)


def _pages(env: Any, names: list[str]) -> Iterator[Page]:
    """Read the pages that have code."""
    from myst_nb.core.read import create_nb_reader

    for name in names:
        path = Path(env.doc2path(name))
        text = path.read_text(encoding="utf-8")
        reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
        if reader is not None:
            notebook = reader.read(text)
            # Taken before it runs: what is changed meanwhile must count as changed.
            yield Page(name, path, notebook, _digest(notebook, path.parent))


def _missing(pages: Iterable[Page], cache: Any, known: dict[str, Record]) -> list[Page]:
    """Find the pages that the cache does not hold, or that something changed below."""
    missing = []
    for page in pages:
        with suppress(KeyError):
            record = cache.match_cache_notebook(page.notebook)
            if page.is_in(known):
                continue
            cache.remove_cache(record.pk)
        missing.append(page)
    # Those that start last should be short.
    return sorted(missing, key=Page.weight, reverse=True)


@contextmanager
def _shared_cores(pages: int) -> Iterator[None]:
    """Let kernels that start in here take one core each, unless there is only one."""
    before = os.environ.get(_CORES)
    if pages > 1:
        os.environ[_CORES] = "1"
    try:
        yield
    finally:
        os.environ.pop(_CORES, None)
        if before is not None:
            os.environ[_CORES] = before


def outdated(app: Any, env: Any, added: set[str], changed: set[str], gone: set[str]) -> list[str]:
    """Name the pages to read again though their text stands: named ones, or changed below."""
    if app.config.explorable_pages:
        return list(app.config.explorable_pages)
    if env.mystnb_config.execution_mode != "cache":
        return []
    known = load_records(_folder(env))
    unchanged = sorted(env.found_docs - added - changed)
    return [page.name for page in _pages(env, unchanged) if not page.is_in(known)]


def _narrow(env: Any, names: list[str], wanted: list[str]) -> None:
    """Leave the wanted pages to be read, and those that are read for their titles alone."""
    # Sphinx resolves no reference to a page that it never read, but it need not be executed.
    names[:] = [name for name in names if name in wanted or name not in env.all_docs]
    others = [glob.escape(env.doc2path(name)) for name in names if name not in wanted]
    env.mystnb_config = env.mystnb_config.copy(execution_excludepatterns=others)


def pages_ahead(app: Any, env: Any, names: list[str]) -> None:
    """Execute the pages that Sphinx is about to read, as far as the cache lacks them."""
    from jupyter_cache import get_cache
    from jupyter_cache.base import CacheBundleIn

    wanted = app.config.explorable_pages
    if wanted is not None:
        app.builder.load_indexer = partial(load_index, app.builder)
    if wanted:
        _narrow(env, names, wanted)
        leave_others(app, wanted)
    config = env.mystnb_config
    app.explorable_executed = set()
    if config.execution_mode != "cache":
        return
    cache, known = get_cache(config.execution_cache_path), load_records(_folder(env))
    read = list(_pages(env, wanted or names))
    pages = _missing(read, cache, known)
    cores = cpu_count()  # asked now, for the kernels are told another
    workers = min(cores, len(pages)) or 1
    print(f"{settings.name()}: {len(pages)} pages to execute, {workers} at a time", flush=True)
    # Each page's work is done by its kernel, a process; a thread only waits for it.
    run = Parallel(n_jobs=workers, prefer="threads", return_as="generator_unordered")
    many = len(pages) >= _MANY and hasattr(os, "fork")
    with _shared_cores(len(pages)), warm_kernels() if many else nullcontext() as manager:
        done = run(delayed(page.execute)(config.execution_timeout, manager) for page in pages)
        for count, page in enumerate(done, 1):
            record = page.record(cores, workers)
            failed = f" ({page.failed})" if page.failed else ""
            print(f"[{count:2}/{len(pages)}] {_line(page.name, record)}{failed}", flush=True)
            if page.failed:
                # MyST-NB executes it again, and tells of cells alone.
                _logger.warning("%s", page.failed, location=page.name)
                continue
            bundle = CacheBundleIn(page.notebook, str(page.path), data={"execution_seconds": page.seconds})
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
            known[page.name] = record
            save_records(_folder(env), known)
            app.explorable_executed.add(page.name)
    told = {name: record.values for name, record in known.items()}
    app.explorable_values = told | {page.name: page.values for page in pages}
    for page in read:
        if page not in pages:
            print(f"[cache] {_line(page.name, known[page.name])}", flush=True)


# How many of the largest panels are shown.
_LARGEST = 12
_FIXED = "This build can be repeated byte for byte, so times and the machine are left out."


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown; all columns but the first hold numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def _kilobytes(size: int) -> str:
    return f"{size / 1000:,.0f}"


def status_text(known: dict[str, Record], executed: set[str], *, fixed: bool) -> str:
    """Return the status page's tables in Markdown.

    Parameters
    ----------
    known : dict of str to Record
        The pages in the order in which they are to stand.
    executed : set of str
        Those that were executed in this build; the others came from the cache.
    fixed : bool
        Whether all that differs between two builds of the same sources is left out.
    """
    head, times = ["Page", "Panels", "States", "Kilobytes"], _FIXED
    rows = [
        [f"{{doc}}`/{name}`", len(record.panels), f"{record.states:,}", _kilobytes(record.size)]
        for name, record in known.items()
    ]
    panels = [
        (-size, panel, states, name)
        for name, record in known.items()
        for panel, (states, size) in record.panels.items()
    ]
    largest = [
        (f"`{panel}`", f"{{doc}}`/{name}`", f"{states:,}", _kilobytes(-size))
        for size, panel, states, name in sorted(panels)[:_LARGEST]
    ]
    states, size = sum(r.states for r in known.values()), sum(r.size for r in known.values())
    total = f"{len(panels)} panels hold {states:,} states in {_kilobytes(size)} kilobytes."
    if not fixed:
        head += ["Seconds", "Executed beside", "In"]
        for row, (name, record) in zip(rows, known.items(), strict=True):
            others = f"{record.beside - 1} other{'s' * (record.beside != 2)}"
            build = "this build" if name in executed else "an earlier build"
            row += [f"{record.seconds:.1f}", others, build]
        cores = {record.cores for record in known.values()} or {cpu_count()}
        told = " or ".join(map(str, sorted(cores))) + (" core" if cores == {1} else " cores")
        times = (
            f"{len(executed & set(known))} of {len(known)} pages were executed in this build, the "
            "others are from the cache, and their seconds are of an earlier build. Executed on a "
            f"machine with {told}; a page's seconds begin with the start of its kernel, and "
            "checks whose code changed are judged meanwhile."
        )
    versions = _table(["Library", "Version"], sources.versions().items())
    parts = [f"{total} {times}", _table(head, rows), "The largest panels:"]
    parts += [_table(["Panel", "Page", "States", "Kilobytes"], largest), versions]
    return "\n\n".join(parts)


class _Status(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        # All pages have been executed, or taken from the cache, before the first is read.
        self.env.note_reread()
        app: Any = self.env.app
        kept = load_records(Path(app.config.nb_execution_cache_path))
        known = {name: kept[name] for name in app.config.external_site_map if name in kept}
        executed: set[str] = getattr(app, "explorable_executed", set())
        text = status_text(known, executed, fixed="SOURCE_DATE_EPOCH" in os.environ)
        return self.parse_text_to_nodes(text)


def register(app: Any) -> None:
    """Tell Sphinx of the directive, and of the role in the place of MyST-NB's."""
    app.add_directive("build-status", _Status)
    app.add_role("eval", _Eval(), override=True)
