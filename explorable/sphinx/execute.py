"""Execute the book's pages side by side, before Sphinx reads them one by one.

MyST-NB executes a page when it reads it, and takes from its cache what is there. So all pages
that the cache does not hold are executed first, as many at once as there are cores. Its cache
knows a page by its code alone; what else the page depends on is compared here. A page that
fails is left to MyST-NB, which executes it again and tells what is wrong with it.

The configuration value ``mipbook_pages`` says what to build: None for a whole book, a list of
pages for these alone, an empty list for all pages that something changed below.
"""

from __future__ import annotations

import glob
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from joblib import Parallel, cpu_count, delayed

from explorable import sources
from explorable.sphinx import records
from explorable.sphinx.alone import leave_others, load_index
from explorable.sphinx.warm import warm_kernels

__all__ = ["Page", "outdated", "pages_ahead"]

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
    failed: bool = False

    def execute(self, timeout: int, manager: Any = None) -> Page:
        """Execute the page's notebook in place; never raise what it raises."""
        from jupyter_cache.executors.utils import single_nb_execution

        started = time.perf_counter()
        done = single_nb_execution(
            self.notebook,
            cwd=str(self.path.parent),
            timeout=timeout,
            allow_errors=False,
            # Its warnings about itself would stand between the lines of the build's table.
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
            **({"kernel_manager_class": manager} if manager else {}),
        )
        self.seconds, self.failed = time.perf_counter() - started, done.err is not None
        return self

    def weight(self) -> tuple[int, int]:
        """Return what tells before it runs whether a page takes long: panels, then length."""
        source = "".join(cell.source for cell in self.notebook.cells)
        return source.count("Explorable("), len(source)

    def record(self, cores: int, beside: int) -> records.Record:
        """Return what is kept of an execution on that many cores, that many at once."""
        cells = [cell for cell in self.notebook.cells if cell.cell_type == "code"]
        outputs = [out.get("data", {}).get("text/html", "") for c in cells for out in c.outputs]
        shown = [(_PANEL.search(text), len(text.encode())) for text in map("".join, outputs)]
        panels = {found[1]: (int(found[2]), size) for found, size in shown if found}
        seconds = round(self.seconds, 1)
        return records.Record(self.digest, panels, seconds, cores, beside)


def _line(name: str, record: records.Record) -> str:
    """Return a line of the build's table."""
    panels = f"{len(record.panels):3} panels {record.states:6,} states {record.size / 1000:6,.0f} kB"
    return f"{name:36} {panels} {record.seconds:6.1f} s"


def _digest(notebook: Any) -> str:
    """Digest a page's code and all of the package that it may depend on."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    lines = (line for cell in cells for line in cell.splitlines())
    return sources.digest("\n".join(line for line in lines if not line.startswith("%")))


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
            yield Page(name, path, notebook, _digest(notebook))


def _missing(pages: Iterator[Page], cache: Any, known: dict[str, records.Record]) -> list[Page]:
    """Find the pages that the cache does not hold, or that something changed below."""
    missing = []
    for page in pages:
        with suppress(KeyError):
            record = cache.match_cache_notebook(page.notebook)
            if page.name in known and known[page.name].digest == page.digest:
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
        if before is None:
            os.environ.pop(_CORES, None)
        else:
            os.environ[_CORES] = before


def outdated(app: Any, env: Any, added: set[str], changed: set[str], gone: set[str]) -> list[str]:
    """Name the pages to read again though their text stands: named ones, or changed below."""
    if app.config.mipbook_pages:
        return list(app.config.mipbook_pages)
    if env.mystnb_config.execution_mode != "cache":
        return []
    known = records.load(_folder(env))
    unchanged = sorted(env.found_docs - added - changed)
    return [
        page.name
        for page in _pages(env, unchanged)
        if page.name not in known or known[page.name].digest != page.digest
    ]


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

    wanted = app.config.mipbook_pages
    if wanted is not None:
        app.builder.load_indexer = partial(load_index, app.builder)
    if wanted:
        _narrow(env, names, wanted)
        leave_others(app, wanted)
    config = env.mystnb_config
    app.mipbook_executed = set()
    if config.execution_mode != "cache":
        return
    cache, known = get_cache(config.execution_cache_path), records.load(_folder(env))
    read = list(_pages(env, wanted or names))
    pages = _missing(iter(read), cache, known)
    cores = cpu_count()  # asked now, for the kernels are told another
    workers = min(cores, len(pages)) or 1
    print(f"mipbook: {len(pages)} pages to execute, {workers} at a time", flush=True)
    # Each page's work is done by its kernel, a process; a thread only waits for it.
    run = Parallel(n_jobs=workers, prefer="threads", return_as="generator_unordered")
    many = len(pages) >= _MANY and hasattr(os, "fork")
    with _shared_cores(len(pages)), warm_kernels() if many else nullcontext() as manager:
        done = run(delayed(page.execute)(config.execution_timeout, manager) for page in pages)
        for count, page in enumerate(done, 1):
            record = page.record(cores, workers)
            failed = " (failed)" if page.failed else ""
            print(f"[{count:2}/{len(pages)}] {_line(page.name, record)}{failed}", flush=True)
            if page.failed:
                continue
            seconds = {"execution_seconds": page.seconds}
            bundle = CacheBundleIn(page.notebook, str(page.path), data=seconds)
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
            known[page.name] = record
            records.save(_folder(env), known)
            app.mipbook_executed.add(page.name)
    for page in read:
        if page not in pages:
            print(f"[cache] {_line(page.name, known[page.name])}", flush=True)
