"""Execute the book's pages side by side, before Sphinx reads them one by one.

MyST-NB executes a page when it reads it, and takes from its cache what is there. So all pages
that the cache does not hold are executed first, as many at once as there are cores. Its cache
knows a page by its code alone; what else the page depends on is compared here. A page that
fails is left to MyST-NB, which executes it again and tells what is wrong with it.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib import Parallel, cpu_count, delayed

from mipbook.base import sources

__all__ = ["Page", "pages_ahead"]

# A page shares the cores with others, so its panels are not to take them all.
_CORES = "LOKY_MAX_CPU_COUNT"
_PANEL = re.compile(r'<section class="mb-explorable".*? data-states="(\d+)"')


@dataclass
class Page:
    """A page that is to be executed, and how that went."""

    name: str
    path: Path
    notebook: Any
    digest: str
    seconds: float = 0.0
    failed: bool = False

    def execute(self, timeout: int) -> Page:
        """Execute the page's notebook in place; never raise what it raises."""
        from jupyter_cache.executors.utils import single_nb_execution

        started = time.perf_counter()
        done = single_nb_execution(
            self.notebook, cwd=str(self.path.parent), timeout=timeout, allow_errors=False
        )
        self.seconds, self.failed = time.perf_counter() - started, done.err is not None
        return self

    def weight(self) -> tuple[int, int]:
        """Return what tells before it runs whether a page takes long: panels, then length."""
        source = "".join(cell.source for cell in self.notebook.cells)
        return source.count("Explorable("), len(source)

    def told(self) -> str:
        """Return a line of the build's table: panels, their states and size, seconds."""
        cells = [cell for cell in self.notebook.cells if cell.cell_type == "code"]
        shown = [out.get("data", {}).get("text/html", "") for c in cells for out in c.outputs]
        states = [int(n) for text in shown for n in _PANEL.findall("".join(text))]
        size = sum(len(text) for text in shown if _PANEL.search(text))
        panels = f"{len(states):3} panels {sum(states):6,} states {size / 1000:6,.0f} kB"
        return f"{self.name:36} {panels} {self.seconds:6.1f} s" + " (failed)" * self.failed


def _digest(notebook: Any) -> str:
    """Digest a page's code and all of the package that it may depend on."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    lines = (line for cell in cells for line in cell.splitlines())
    return sources.digest("\n".join(line for line in lines if not line.startswith("%")))


def _missing(env: Any, names: list[str], cache: Any, known: dict[str, str]) -> Iterator[Page]:
    """Find the pages with code that the cache does not hold, or that something changed below."""
    from myst_nb.core.read import create_nb_reader

    for name in names:
        path = Path(env.doc2path(name))
        text = path.read_text(encoding="utf-8")
        reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
        if reader is None:
            continue
        notebook = reader.read(text)
        # Taken before it runs: what is changed meanwhile must count as changed.
        page = Page(name, path, notebook, _digest(notebook))
        with suppress(KeyError):
            record = cache.match_cache_notebook(page.notebook)
            if known.get(name) == page.digest:
                continue
            cache.remove_cache(record.pk)
        yield page


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


def pages_ahead(app: Any, env: Any, names: list[str]) -> None:
    """Execute the pages that Sphinx is about to read, as far as the cache lacks them."""
    from jupyter_cache import get_cache
    from jupyter_cache.base import CacheBundleIn

    config = env.mystnb_config
    if config.execution_mode != "cache":
        return
    cache = get_cache(config.execution_cache_path)
    memory = Path(config.execution_cache_path) / "digests.json"
    known = json.loads(memory.read_text(encoding="utf-8")) if memory.is_file() else {}
    # Those that start last should be short.
    pages = sorted(_missing(env, names, cache, known), key=Page.weight, reverse=True)
    workers = min(cpu_count(), len(pages)) or 1
    print(f"mipbook: {len(pages)} pages to execute, {workers} at a time", flush=True)
    # Each page's work is done by its kernel, a process; a thread only waits for it.
    run = Parallel(n_jobs=workers, prefer="threads", return_as="generator_unordered")
    with _shared_cores(len(pages)):
        done = run(delayed(page.execute)(config.execution_timeout) for page in pages)
        for count, page in enumerate(done, 1):
            print(f"[{count:2}/{len(pages)}] {page.told()}", flush=True)
            if page.failed:
                continue
            seconds = {"execution_seconds": page.seconds}
            bundle = CacheBundleIn(page.notebook, str(page.path), data=seconds)
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
            known[page.name] = page.digest
            memory.write_text(json.dumps(known, indent=1), encoding="utf-8")
