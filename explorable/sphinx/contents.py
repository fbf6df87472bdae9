"""The parts of the book and the table of the apps, read off ``_toc.yml`` and the apps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from explorable import validate
from explorable.sphinx.head import page_link

__all__ = ["all_pages", "app_card", "connect", "parts"]

_HEADS = ("app", "question", "chapter")


def parts(contents: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the chapters of each part of a table of contents, by the part's caption.

    Pages that stand under a chapter, *for the record*, are none of them.

    Examples
    --------
    >>> parts({"parts": [{"caption": "One", "chapters": [{"file": "a"}, {"file": "b"}]}]})
    {'One': ['a', 'b']}
    """
    return {
        part["caption"]: [chapter["file"] for chapter in part["chapters"]]
        for part in contents.get("parts", [])
    }


def all_pages(contents: Mapping[str, Any]) -> list[str]:
    """Return every page of a table of contents, those under a chapter behind it.

    Examples
    --------
    >>> one = {"file": "a", "sections": [{"file": "a-record"}]}
    >>> all_pages({"root": "i", "parts": [{"caption": "One", "chapters": [one]}]})
    ['i', 'a', 'a-record']
    """
    own = [contents[key] for key in ("root", "file") if key in contents]
    inner = [part for key in ("parts", "chapters", "sections") for part in contents.get(key, [])]
    return own + [page for part in inner for page in all_pages(part)]


def app_card(path: Path) -> tuple[str, str]:
    """Return the question that an app answers and the chapter that it belongs to.

    Both stand in the notebook's metadata, under ``mipbook``.
    """
    metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"].get("mipbook", {})
    for key in ("question", "chapter"):
        if not metadata.get(key):
            allowed = f'in the metadata of the notebook: "mipbook": {{"{key}": "..."}}'
            validate.refuse(f"{path.name}, {key}", metadata.get(key), allowed)
    return metadata["question"], metadata["chapter"]


class _Directive(SphinxDirective):
    def _contents(self) -> dict[str, list[str]]:
        # Whoever changes the contents changes this page.
        self.env.note_dependency(str(self._root / "_toc.yml"))
        return parts(yaml.safe_load((self._root / "_toc.yml").read_text(encoding="utf-8")))

    @property
    def _root(self) -> Path:
        return Path(self.env.app.confdir)


class _Apps(_Directive):
    def run(self) -> list[nodes.Node]:
        """Make a table of the apps, in the order of the contents."""
        table, group = nodes.table(), nodes.tgroup(cols=len(_HEADS))
        table += group
        group += [nodes.colspec(colwidth=width) for width in (3, 5, 3)]
        group += nodes.thead("", _row([nodes.Text(head) for head in _HEADS]))
        body = nodes.tbody()
        group += body
        for page in (page for pages in self._contents().values() for page in pages):
            path = self._root / f"{page}.ipynb"
            if path.is_file():
                question, chapter = app_card(path)
                links = [page_link(name, self.env.docname) for name in (page, f"book/{chapter}")]
                body += _row([links[0], nodes.Text(question), links[1]])
        return [table]


def _row(cells: list[nodes.Node]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def connect(app: Sphinx) -> None:
    """Register the directive with Sphinx."""
    app.add_directive("table-of-apps", _Apps)
