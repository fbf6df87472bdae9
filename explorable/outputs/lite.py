"""Build the site that runs in a reader's browser, and offer it: ``python -m mipbook lite``.

It writes ``_build/html/lite``: JupyterLite with every chapter, in full and for students, and every
app as notebooks, and Python with all that they need; no server computes anything, and nothing is
asked of another host.  A button on each page opens its notebook there, where that works.
"""

import argparse
import functools
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
import nbformat.v4 as made
import yaml

from explorable import settings
from explorable.outputs.files import list_here
from explorable.outputs.lite_python import FOLDER, Sources, Wheel, engine
from explorable.sphinx import notebooks, run
from explorable.sphinx.build import check_root
from explorable.sphinx.map import all_pages, app_card

INDEX = "start"
_LINK = re.compile(r"\[([^\]\n]*)\]\(([\w./-]+\.ipynb)(?:#[^)\s]*)?\)")
_START = """*From the book {title}. It runs here, in your browser: nothing is installed, and nothing
that you type or open leaves this machine.*

*Choose* Run All Cells *in the menu* Run. *The first cell takes a while, for it loads Python;
the panels then move as they do in the book. What you change is kept in this browser alone.*"""
_KERNEL = {"display_name": "Python (in this browser)", "language": "python", "name": "python"}
KEPT = Path("_build", ".lite")
# Of all extensions of this environment these alone run in a reader's browser.
_EXTENSIONS = ("@jupyter-widgets/jupyterlab-manager", "@jupyterlite/pyodide-kernel-extension", "anywidget")
_PLUGIN = "@jupyterlite/pyodide-kernel-extension:kernel"
_APPS = ("lab", "notebooks", "tree")
# A panel that is out of sight stays; nobody elsewhere is asked for news.
_OVERRIDES = Path(__file__).with_name("lite_settings.json")


def _copies(root: Path, page: str) -> Iterator[tuple[str, Any]]:
    name = page.removeprefix("book/")
    if notebooks.taken_away(page):
        text = run.with_values(root, page)
        yield name, notebooks.notebook(text, page)
        if not page.endswith("-record"):
            yield name + notebooks.STUDENT, notebooks.notebook(text, page, student=True)
        return
    app = nbformat.read(root / f"{page}.ipynb", as_version=4)
    for cell in app.cells:
        if cell.cell_type == "markdown":
            cell.source = notebooks.plain(cell.source, page)
    app.cells.insert(0, made.new_markdown_cell("", id="start"))
    yield name, app


def all_notebooks(root: Path) -> dict[str, Any]:
    """Return the notebooks of the site by their names, such as ``mip/noise``.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    """
    listed = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    pages = [page for page in all_pages(listed) if offered(page)]
    found = {name: book for page in pages for name, book in _copies(root, page)}
    for name, book in found.items():
        book.cells[0].source = _START.format(title=settings.book().title)
        book.metadata.kernelspec = dict(_KERNEL)
        for cell in book.cells:
            if cell.cell_type == "markdown":
                cell.source = _LINK.sub(functools.partial(_kept, name, found), cell.source)
    return {INDEX: _index(root, listed, found), **found}


def _kept(name: str, found: Mapping[str, Any], link: re.Match[str]) -> str:
    """Keep a link to a notebook that is there; of another, the words."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link[2]))
    return link[0] if target.removesuffix(".ipynb") in found else link[1]


def _index(root: Path, listed: Mapping[str, Any], found: Mapping[str, Any]) -> Any:
    """Return the notebook that leads to all others."""
    lines = ["# The book in your browser", "", _START.format(title=settings.book().title)]
    for part in listed["parts"]:
        pages = [page.removeprefix("book/") for page in all_pages(part) if offered(page)]
        lines += ["", f"## {part['caption']}", ""] if pages else []
        for page in pages:
            text = "\n".join(cell.source for cell in found[page].cells if cell.cell_type == "markdown")
            title = re.search(r"^# (.+)$", text, flags=re.MULTILINE)
            told = f"- [{title[1] if title else ''}]({page}.ipynb)"
            student = page + notebooks.STUDENT
            if student in found:
                told += f" · [without solutions]({student}.ipynb)"
            if page.startswith("apps/"):
                told += f". {app_card(root / 'book' / f'{page}.ipynb')[0]}"
            lines.append(told)
    cells = [made.new_markdown_cell("\n".join(lines), id="index")]
    return made.new_notebook(cells=cells, metadata={"kernelspec": dict(_KERNEL)})


def _configured(folder: Path) -> None:
    """Write what JupyterLite is to do, and not to do: ask anybody elsewhere for anything."""
    kernel = {"pyodideUrl": f"./{FOLDER.as_posix()}/pyodide.mjs", "disablePyPIFallback": True}
    config = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": f"{settings.book().title} in your browser",
            "exposeAppInBrowser": True,  # to tools/lite_notebooks.py
            "litePluginSettings": {_PLUGIN: kernel},
        },
    }
    (folder / "jupyter-lite.json").write_text(json.dumps(config), encoding="utf-8")
    shutil.copy(_OVERRIDES, folder / "overrides.json")
    share = Path(sys.prefix, "share", "jupyter", "labextensions")
    build = {
        "LiteBuildConfig": {
            "apps": list(_APPS),
            "federated_extensions": [str(share / name) for name in _EXTENSIONS],
            "ignore_sys_prefix": ["federated_extensions"],
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
        }
    }
    (folder / "jupyter_lite_config.json").write_text(json.dumps(build), encoding="utf-8")


def make(
    root: Path,
    out: Path,
    sources: Sources,
    more: Sequence[Wheel] = (),
    books: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Build the site and put it in its place, whole or not at all.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    out : pathlib.Path
        The folder of the site; what is there is replaced.
    sources : Sources
        Where the compiled packages come from.
    more : sequence of Wheel
        Wheels besides.
    books : mapping, optional
        The notebooks by their names, in place of the book's own.

    Returns
    -------
    dict
        What the site holds; it stands in its ``built.json`` too.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=out.parent) as name:
        folder, site = Path(name, "source"), Path(name, "site")
        found = all_notebooks(root) if books is None else books
        for page, book in found.items():
            path = folder / "files" / f"{page}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(book, path)
        _configured(folder)
        told: dict[str, Any] = engine(root, folder, root / KEPT, sources, more)
        # A folder of its own, so that nothing of an earlier build is taken for this one's.
        command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(folder)]
        command += ["--contents", str(folder / "files"), "--output-dir", str(site)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        if done.returncode:
            raise RuntimeError(f"JupyterLite was not built: {(done.stderr or done.stdout)[-800:]}")
        told["notebooks"] = sorted(found)
        told["site_bytes"] = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
        (site / TOLD).write_text(json.dumps(told, indent=1), encoding="utf-8")
        shutil.rmtree(out, ignore_errors=True)
        os.replace(site, out)
    return told


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the site beside the book, and tell the pages of it.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line, by default the process's own; ``--help`` tells what it takes.

    Raises
    ------
    ValueError
        If the folder is not the repository's, or a given file is not the one that is listed.
    RuntimeError
        If the book is not built, or something could not be had; then nothing is written.
    """
    parser = argparse.ArgumentParser(prog=f"{settings.book().command} lite", description=__doc__)
    where = parser.add_mutually_exclusive_group()
    told = "a folder with the compiled packages, fetched before; each is verified"
    where.add_argument("--pyodide-files", type=Path, metavar="FOLDER", help=told)
    told = "leave the compiled packages out: the site opens, but no chapter runs in it"
    where.add_argument("--bare", action="store_true", help=told)
    told = "let the reader's browser fetch the compiled packages from Pyodide's host"
    where.add_argument("--cdn", action="store_true", help=told)
    asked = parser.parse_args(arguments)
    root = Path.cwd()
    check_root(root)
    html = root / "_build" / "html"
    if not (html / "_static").is_dir():
        raise RuntimeError(f"the book is not built; first: {settings.book().command} build")
    sources = Sources(asked.pyodide_files, asked.bare, asked.cdn)
    found = make(root, html / SITE, sources)
    list_here(html)
    size = f"{found['site_bytes'] / 1e6:.0f} MB, {len(found['notebooks'])} notebooks"
    print(f"{html / SITE}: {size}, Python {found['python']}")
    if not tell(html):
        missing = ", ".join(found["missing"])
        print(f"Without {missing} no chapter runs there, so the pages do not offer it.")
    if found["elsewhere"]:
        print(f"A reader's browser fetches the compiled packages from {found['elsewhere']}.")


SITE = "lite"  # below the book
TOLD = "built.json"  # what the site holds
SCRIPT = "mipbook-lite.js"  # a script, since a page that is opened from a file may read nothing
_STYLE = Path(__file__).with_name("lite.css")
SEEN = "seen.json"  # what came of the notebooks in a browser: tools/lite_notebooks.py
# From a file's address no browser starts Python.
_SCRIPT = Path(__file__).with_name("lite.js")


def offered(page: str) -> bool:
    """Whether a page has a notebook in the site: chapters, their records and apps have.

    Examples
    --------
    >>> offered("book/apps/attack"), offered("book/apps/index"), offered("book/reference/glossary")
    (True, False, False)
    """
    return notebooks.taken_away(page) or (page.startswith("book/apps/") and page != "book/apps/index")


def _told(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


def words(told: Mapping[str, Any], seen: Mapping[str, Any]) -> list[str]:
    """Say what a site holds, and what of it has been tried.

    Parameters
    ----------
    told : mapping
        What stands in its ``built.json``; empty if there is no site.
    seen : mapping
        What stands in its ``seen.json``; empty if no notebook was tried.

    Examples
    --------
    >>> words({}, {})
    []
    """
    if not told:
        return []
    missing, packages = ", ".join(told["missing"]), told["packages"]
    said = [
        f"Python {told['python']} (Pyodide {told['pyodide']}) with {len(packages)} packages, "
        f"{len(told['notebooks'])} notebooks; {told['site_bytes'] / 1e6:.0f} MB in all, of which "
        f"Python and its packages {told['bytes'] / 1e6:.0f} MB."
    ]
    if missing:
        said.append(f"Without {missing} no chapter runs, so no page offers it.")
    elif told["elsewhere"]:
        said.append(f"The compiled packages are fetched by your browser from {told['elsewhere']}.")
    else:
        said.append("Your browser asks no other host for anything.")
    if not seen:
        return [*said, "No notebook of this very build has been run in a browser."]
    failed = {name: errors for name, errors in seen["errors"].items() if errors}
    told_of = "; ".join(f"{name}: {errors[0]}" for name, errors in sorted(failed.items()))
    run = f"{len(seen['errors'])} notebooks of this very build were run in {seen['browser']}: "
    return [*said, run + (f"{len(failed)} with an error ({told_of})." if failed else "no error.")]


def tell(html: Path) -> bool:
    """Tell the pages of a book whether a whole site stands beside them; return whether.

    Parameters
    ----------
    html : pathlib.Path
        The folder of the built book.
    """
    told = _told(html / SITE / TOLD)
    # Without numpy no chapter runs, so a site that lacks it is offered to no reader.
    whole = bool(told) and not told["missing"]
    said = json.dumps(words(told, _told(html / SITE / SEEN)))
    text = _SCRIPT.read_text(encoding="utf-8") if told else ""
    text = text.replace("LITE_WORDS", said).replace("LITE_IS_WHOLE", json.dumps(whole))
    (html / "_static" / SCRIPT).write_text(text, encoding="utf-8")
    return whole


def _offer(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if not offered(page) and page != "book/apps/index":
        return
    name = INDEX if page == "book/apps/index" else page.removeprefix("book/")
    # The style hides what is ours until the script has told that there is a site.
    button = {
        "type": "link",
        "url": f"{context['pathto'](f'{SITE}/notebooks/index.html', 1)}?path={name}.ipynb",
        "text": "Run in this browser",
        "icon": "fas fa-play",
        "tooltip": "Python in this page's own browser: nothing is installed or sent",
        "label": "run-here",
    }
    groups = context.setdefault("header_buttons", [])
    for group in groups:
        if group.get("label") == "launch-buttons":
            group["buttons"].insert(0, button)
            return
    own = {"type": "group", "label": "run-here", "icon": "fas fa-rocket", "buttons": [button]}
    groups.insert(0, {**own, "tooltip": "Run this page"})


def _write(app: Any) -> None:
    if app.builder.format == "html":
        static = Path(app.outdir, "_static")
        static.mkdir(parents=True, exist_ok=True)
        shutil.copy(_STYLE, static)
        tell(Path(app.outdir))


def connect(app: Any) -> None:
    """Register with Sphinx."""
    app.add_js_file(SCRIPT, loading_method="defer")
    app.add_css_file(_STYLE.name)
    app.connect("builder-inited", _write)
    # After the theme, which makes the menu.
    app.connect("html-page-context", _offer, priority=970)
