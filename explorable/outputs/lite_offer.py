"""A button on each page that opens its notebook in the reader's own browser, where that works."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from explorable.sphinx import notebooks

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


def _read(path: Path) -> dict[str, Any]:
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
    told = _read(html / SITE / TOLD)
    # Without numpy no chapter runs, so a site that lacks it is offered to no reader.
    whole = bool(told) and not told["missing"]
    said = json.dumps(words(told, _read(html / SITE / SEEN)))
    text = _SCRIPT.read_text(encoding="utf-8") if told else ""
    text = text.replace("LITE_WORDS", said).replace("LITE_IS_WHOLE", json.dumps(whole))
    (html / "_static" / SCRIPT).write_text(text, encoding="utf-8")
    return whole


def _button(context: dict[str, Any], page: str) -> dict[str, Any]:
    name = "start" if page == "book/apps/index" else page.removeprefix("book/")
    return {
        "type": "link",
        "url": f"{context['pathto'](f'{SITE}/notebooks/index.html', 1)}?path={name}.ipynb",
        "text": "Run in this browser",
        "icon": "fas fa-play",
        "tooltip": "Python in this page's own browser: nothing is installed or sent",
        "label": "run-here",
    }


def _offer(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if not offered(page) and page != "book/apps/index":
        return
    groups = context.setdefault("header_buttons", [])
    launch = [group for group in groups if group.get("label") == "launch-buttons"]
    button = _button(context, page)
    # The style hides what is ours until the script has told that there is a site.
    if launch:
        launch[0]["buttons"].insert(0, button)
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
