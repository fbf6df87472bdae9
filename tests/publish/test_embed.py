"""A panel on a page of its own, also where several processes write the book's pages."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from explorable.outputs import files

PANEL = '<section class="mb-explorable" id="a" data-face="static" aria-label="A">{}</section>'


def write(folder: Path, page: str, text: str) -> str:
    """Write the panels of a page; return what stands on the panel's own."""
    app: Any = SimpleNamespace(outdir=folder, builder=SimpleNamespace(format="html"))
    files._embed(app, page, "page.html", {"body": PANEL.format(text)}, None)
    assert [path.name for path in (folder / "embed").iterdir()] == ["a.html"]
    return (folder / "embed" / "a.html").read_text(encoding="utf-8")


def test_a_chapters_panel_wins_over_an_apps_in_any_order(tmp_path):
    assert "of the app" in write(tmp_path, "book/apps/one", "of the app")
    assert "of the chapter" in write(tmp_path, "book/mip/one", "of the chapter")
    assert "of the chapter" in write(tmp_path, "book/apps/one", "of the app")
    assert "anew" in write(tmp_path, "book/mip/one", "anew")


def test_an_app_that_is_late_writes_into_nothing(tmp_path, monkeypatch):
    """Between the moments when an app's page begins its file and fills it, the chapter writes."""
    true = Path.open

    def slow(path: Path, *given: Any, **more: Any) -> Any:
        stream = true(path, *given, **more)
        if "x" in given:
            write(tmp_path, "book/mip/one", "of the chapter")
        return stream

    monkeypatch.setattr(Path, "open", slow)
    assert "of the chapter" in write(tmp_path, "book/apps/one", "of the app")
