"""What a built book is given besides its pages: scripts of others, panels by themselves, Python.

A page must load nothing from another host.  Plotly's script lies in ``panels/plotly``, and the faces
of the text and the formulas in ``fonts``.

A panel's states lie in a script of their own, which its page asks for when the reader comes near it.
Each panel stands on a page of its own too, ``embed/<id>.html``, to be shown in other pages.

``python -m mipbook lite`` puts Pyodide and its packages below ``lite``, which the panels' *Compute
exactly here* needs; what they load of it is read off what lies there, so that no page offers what
it cannot do.  So it is with the PDFs, which ``python -m mipbook pdf`` puts below ``pdf``.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from explorable import settings, sources
from explorable.panels.static import PANEL, PLOTLY

# Of the file that runs first, so that a changed one cannot slip something else in.
_KNOWN = "335c34e51f372aa33a8a2bdb87201f5e17e907793053332afe4074bf1db39ff8"

FONTS = Path(__file__).parents[1] / "fonts"
# Lists are scripts, since a page that is opened from a file may read nothing else.
PDF_FOLDER, PDF_LIST = "pdf", "pdfs.js"
WHOLE_BOOK = "mipbook"
HERE_FOLDER, HERE_LIST = "lite/static/pyodide", "mipbook-here.js"
LOCK = "pyodide-lock.json"
MODULES = ("pyodide.mjs", "pyodide.asm.mjs")
RUNTIME = ("pyodide.asm.wasm", "python_stdlib.zip", LOCK)
# What every figure needs; the rest of what our package names is loaded by who imports it.
START = ("lazy-loader", "numpy", "plotly", "scipy")
_TITLE = re.compile(r'aria-label="([^"]*)"')
STATES = "panels"
_BLOB = '<script type="text/plain" class="mb-blob">([^<]+)</script>'
_BLOBS, _EACH = re.compile(f"(?:{_BLOB})+"), re.compile(_BLOB)
_AT = re.compile(r'class="mb-blob" data-at="(\w+)"')


def copy_scripts(static: Path) -> None:
    """Copy plotly and the fonts, with their licences, below a book's static folder.

    Parameters
    ----------
    static : pathlib.Path
        The ``_static`` folder of the HTML that is being built.

    Raises
    ------
    RuntimeError
        If a package is missing or holds another file than the one that was tested.
    """
    found = hashlib.sha256(PLOTLY.read_bytes()).hexdigest()
    if found != _KNOWN:
        raise RuntimeError(
            f"{PLOTLY.name} is not the file this book was tested with (sha256 {found}). Install the "
            "versions of requirements.txt, or test the new file and change explorable/outputs/files.py."
        )
    target = static / "vendor"
    target.mkdir(parents=True, exist_ok=True)
    # The licence stands in the script's own first lines.
    shutil.copy(PLOTLY, target)
    shutil.copytree(FONTS, target / "fonts", dirs_exist_ok=True)


def empty_icon_script(static: Path) -> None:
    """Empty the theme's script that would draw its icons a second time.

    They are letters of a font that the theme's style sheet names; the script, of 1.5 MB, puts a
    picture in the place of each, as some icons that this book has not would need.

    Parameters
    ----------
    static : pathlib.Path
        The ``_static`` folder of the HTML that has been built.
    """
    told = "/* The icons are letters of the font that the style sheet names. */\n"
    (static / "scripts" / "fontawesome.js").write_text(told, encoding="utf-8")


def part_states(body: str, static: Path) -> str:
    r"""Put the states of a page's panels in scripts of their own, which a page asks for one by one.

    Scripts, since a page that is opened from a file may read nothing else; each is named by what it
    holds, so that none is taken for another that a browser has kept.

    Parameters
    ----------
    body : str
        HTML with panels as `Explorable.html` writes them.
    static : pathlib.Path
        The ``_static`` folder of the HTML that is being built.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     part_states('<script type="text/plain" class="mb-blob">eNo=</script>', Path(folder))
    ...     [path.read_text() for path in Path(folder, "panels").iterdir()]
    '<script type="text/plain" class="mb-blob" data-at="f2dd4fa39f85f920"></script>'
    ['document.currentScript.layers = ["eNo="];\n']
    """

    def put(blobs: re.Match[str]) -> str:
        text = f"document.currentScript.layers = {json.dumps(_EACH.findall(blobs[0]))};\n"
        path = static / STATES / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.js"
        if not path.is_file():
            sources.put(path, text)
        return f'<script type="text/plain" class="mb-blob" data-at="{path.stem}"></script>'

    return _BLOBS.sub(put, body)


def forget_states(html: Path) -> None:
    """Remove the states that no page of a built book asks for any more."""
    asked = {at for page in html.rglob("*.html") for at in _AT.findall(page.read_text("utf-8"))}
    for path in (html / "_static" / STATES).glob("*"):
        if path.stem not in asked:
            path.unlink()


def embed_pages(body: str) -> dict[str, str]:
    """Return a page for each panel in a page's body, by the panel's id.

    Parameters
    ----------
    body : str
        HTML with panels as `Explorable.html` writes them.

    Examples
    --------
    >>> panel = '<section class="mb-explorable" id="a" data-face="static" aria-label="A"></section>'
    >>> pages = embed_pages(f"<p>Words.</p>{panel}")
    >>> list(pages), panel in pages["a"], "Words" in pages["a"]
    (['a'], True, False)
    """
    found = {}
    for match in PANEL.finditer(body):
        title = _TITLE.search(match[0])
        found[match[1]] = (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title[1] if title else match[1]}</title>"
            '<link rel="stylesheet" href="../_static/fonts.css">'
            '<link rel="stylesheet" href="../_static/explorable.css"></head>'
            # Nobody asks here.
            f'<body class="mb-page mb-embed"><main>{match[0].replace(" data-waits", "", 1)}</main>'
            '<script src="../_static/explorable.js"></script></body></html>'
        )
    return found


def place_panels(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Put the panels of a page beside it: their states, and what another page embeds."""
    if app.builder.format != "html" or 'data-face="static"' not in context.get("body", ""):
        return
    context["body"] = part_states(context["body"], Path(app.outdir) / "_static")
    folder = Path(app.outdir) / "embed"
    folder.mkdir(exist_ok=True)
    for name, text in embed_pages(context["body"]).items():
        path = folder / f"{name}.html"
        # Of a panel that an app shows too, the chapter's is the one with a story, also where
        # another process writes it just now.
        if "/apps/" in page:
            with suppress(FileExistsError), path.open("x", encoding="utf-8") as stream:
                stream.write(text)
            continue
        sources.put(path, text)


def connect(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("html-page-context", place_panels)


def start() -> list[str]:
    """Return the packages that every figure needs, the book's own among them."""
    return sorted((*START, settings.name()))


def _needed(packages: Mapping[str, Any]) -> list[str]:
    """Return the files of what every figure needs; none where one of them is missing."""
    names = start()
    for name in names:  # which grows on the way
        if name not in packages:
            return []
        needs = packages[name]["depends"] if name != settings.name() else []
        names += [need for need in needs if need not in names]
    return [str(packages[name]["file_name"]) for name in sorted(names)]


def engine_here(html: Path) -> dict[str, Any] | None:
    """Return what a page needs to know of the Python that lies beside it; none if it is not whole.

    Parameters
    ----------
    html : pathlib.Path
        The folder of the built book.

    Returns
    -------
    dict, optional
        The ``folder`` as the ``_static`` folder sees it, the ``packages`` to load at the start,
        and the ``bytes`` that they have together with the runtime.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(engine_here(Path(folder)))
    None
    """
    folder = html / HERE_FOLDER
    if not (folder / LOCK).is_file():
        return None
    lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    packages = _needed(lock["packages"])
    files = [folder / name for name in [*RUNTIME, *packages]]
    there = all(path.is_file() for path in (*(folder / name for name in MODULES), *files))
    # A site without numpy for browsers says so, and computes nothing.
    if lock.get("missing") or not packages or not there:
        return None
    size = sum(path.stat().st_size for path in files)
    return {"folder": f"../{HERE_FOLDER}/", "packages": start(), "bytes": size}


def list_here(html: Path) -> None:
    """Write down for the pages which Python they may load, or that there is none.

    Parameters
    ----------
    html : pathlib.Path
        The folder of the built book.
    """
    told = json.dumps(engine_here(html))
    path = html / "_static" / HERE_LIST
    path.write_text(f"globalThis.mipbookHere = {told};\n", encoding="utf-8")


def printed(html: Path) -> list[str]:
    """Name the PDFs that are no older than their pages; the whole book's is `WHOLE_BOOK`.

    Parameters
    ----------
    html : pathlib.Path
        The folder of the built book.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     printed(Path(folder))
    []
    """
    folder = html / PDF_FOLDER
    made = {path: path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.pdf")}
    newest = max((page.stat().st_mtime for page in (html / "book").rglob("*.html")), default=0)
    found = []
    for path, name in made.items():
        page = html / f"{name}.html"
        needed = newest if name == WHOLE_BOOK else page.stat().st_mtime if page.is_file() else None
        if needed is not None and path.stat().st_mtime >= needed:
            found.append(name)
    return sorted(found)


def list_printed(html: Path) -> None:
    """Write down for the pages which PDFs they may link to."""
    path = html / "_static" / PDF_LIST
    path.write_text(f"globalThis.mipbookPdfs = {json.dumps(printed(html))};\n", encoding="utf-8")
