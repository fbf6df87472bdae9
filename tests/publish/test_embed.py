"""A panel on a page of its own, also where several processes write the book's pages."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from explorable.outputs import files
from explorable.outputs.files import (
    HERE_FOLDER,
    HERE_LIST,
    LOCK,
    MODULES,
    RUNTIME,
    engine_here,
    list_here,
    start,
)

PANEL = '<section class="mb-explorable" id="a" data-face="static" aria-label="A">{}</section>'


def write(folder, page, text):
    """Write the panels of a page; return what stands on the panel's own."""
    app = SimpleNamespace(outdir=folder, builder=SimpleNamespace(format="html"))
    files.place_panels(app, page, "page.html", {"body": PANEL.format(text)}, None)
    assert [path.name for path in (folder / "embed").iterdir()] == ["a.html"]
    return (folder / "embed" / "a.html").read_text(encoding="utf-8")


def test_a_chapters_panel_wins_over_an_apps_in_any_order(tmp_path):
    for page, text, stands in (
        ("book/apps/one", "of the app", "of the app"),
        ("book/mip/one", "of the chapter", "of the chapter"),
        ("book/apps/one", "of the app", "of the chapter"),
        ("book/mip/one", "anew", "anew"),
    ):
        assert stands in write(tmp_path, page, text)


def test_an_app_that_is_late_writes_into_nothing(tmp_path, monkeypatch):
    """Between the moments when an app's page begins its file and fills it, the chapter writes."""
    true = Path.open

    def slow(path, *given, **more):
        stream = true(path, *given, **more)
        if "x" in given:
            write(tmp_path, "book/mip/one", "of the chapter")
        return stream

    monkeypatch.setattr(Path, "open", slow)
    assert "of the chapter" in write(tmp_path, "book/apps/one", "of the app")


# --- Whether a site says that it holds Python for its pages: only where all of it is there --------


@pytest.fixture
def site(tmp_path):
    """A built book beside which a runtime lies, and packages of which one is not needed."""
    folder = tmp_path / HERE_FOLDER
    folder.mkdir(parents=True)
    (tmp_path / "_static").mkdir()
    for name in (*MODULES, *RUNTIME):
        (folder / name).write_bytes(b"x" * 100)
    packages = {name: [] for name in (*start(), "openblas", "other")}
    packages |= {"scipy": ["numpy", "openblas"], "mipbook": ["other"]}
    lock = {name: {"file_name": f"{name}.whl", "depends": depends} for name, depends in packages.items()}
    for name in packages:
        (folder / f"{name}.whl").write_bytes(b"x" * 10)
    (folder / LOCK).write_text(json.dumps({"packages": lock}), "utf-8")
    return tmp_path


def told(site):
    list_here(site)
    text = (site / "_static" / HERE_LIST).read_text("utf-8")
    return json.loads(re.fullmatch(r"globalThis\.mipbookHere = (.*);\n", text)[1])


def test_a_whole_engine_is_told_with_its_size_though_what_is_not_needed_is_missing(site):
    (site / HERE_FOLDER / "other.whl").unlink()
    lock = (site / HERE_FOLDER / LOCK).stat().st_size
    size = 100 * (len(RUNTIME) - 1) + lock + 10 * (len(start()) + 1)
    assert told(site) == {"folder": f"../{HERE_FOLDER}/", "packages": start(), "bytes": size}


def test_an_engine_with_a_hole_or_a_lock_without_what_is_needed_or_that_says_so_is_none(site):
    path = site / HERE_FOLDER / LOCK
    whole = path.read_text("utf-8")
    for name in (*MODULES, *RUNTIME, "mipbook.whl", "openblas.whl"):
        before = (site / HERE_FOLDER / name).read_bytes()
        (site / HERE_FOLDER / name).unlink()
        assert engine_here(site) is None
        assert told(site) is None, name
        (site / HERE_FOLDER / name).write_bytes(before)
    for name in ("mipbook", "numpy", "openblas", ""):
        lock = json.loads(whole) | {"missing": [] if name else ["numpy"]}
        lock["packages"].pop(name, None)
        path.write_text(json.dumps(lock), "utf-8")
        assert told(site) is None, name
