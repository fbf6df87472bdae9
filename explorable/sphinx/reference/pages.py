"""The Sphinx side of the reference: its directives, and links to the chapters and back."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import NumpyDocstring
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import nested_parse_with_titles

from explorable.glossary import GLOSSARY
from explorable.sphinx.reference import calls, rooms
from explorable.sphinx.reference.docstrings import completed

__all__ = ["connect"]

_LONG = 200  # characters of a plain value that are shown

# Types stand as text beside the parameters; those of attributes as well.
_NUMPYDOC = Config(
    napoleon_use_param=False,
    napoleon_use_rtype=False,
    napoleon_custom_sections=[("Attributes", "params_style")],
)


class _CalledIn(nodes.General, nodes.Element):
    """Stands for the chapters that call a function until all of them have been read."""


class _CalledInDirective(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return [_CalledIn(name=self.arguments[0])]


def _constant(room: str, name: str) -> list[str]:
    value, comment = rooms.told(room, name)
    value = value if len(value) <= _LONG else f"{value[:_LONG]} ..."
    return [f".. py:data:: {name}", f"   :value: {value}", "", f"   {comment}", ""]


def _members(thing: Any, face: Any) -> tuple[str, ...]:
    """Return the options for a class: its members, and those of bases without a place here."""
    if not isinstance(thing, type):
        return ()
    bases = thing.__mro__[1:]
    stop = next(
        base for base in bases if not base.__module__.startswith("mipbook") or base.__name__ in face.__all__
    )
    if stop is bases[0]:
        return ("   :members:",)
    return ("   :members:", f"   :inherited-members: {stop.__name__}")


def _page(room: str) -> Iterable[str]:
    """Write a room's page: of each inner room a table of its names, then each in full."""
    face = rooms.face(room)
    yield from (f".. py:module:: mipbook.{room}", "")
    yield from (*inspect.cleandoc(face.__doc__ or "").splitlines(), "")
    for group in rooms.groups(room):
        if group.title:
            yield from (group.title, "-" * len(group.title), "")
        plain = [name for name in group.names if rooms.is_constant(getattr(face, name))]
        others = [name for name in group.names if name not in plain]
        # Sphinx's autosummary parses every docstring a second time for this.
        for name in others:
            first, *_ = (getattr(face, name).__doc__ or "").strip().splitlines()
            yield f"* `{name}`: {first}"
        yield ""
        for name in others:
            kind = "class" if isinstance(getattr(face, name), type) else "function"
            yield f".. auto{kind}:: mipbook.{room}.{name}"
            yield from (*_members(getattr(face, name), face), "")
        for name in plain:
            yield from _constant(room, name)


class _RoomDirective(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        # Another name in the room, or another docstring, makes another page.
        for path in Path(rooms.face(self.arguments[0]).__file__ or "").parent.rglob("*.py*"):
            self.env.note_dependency(str(path))
        node = nodes.section()
        node.document = self.state.document
        nested_parse_with_titles(self.state, StringList(list(_page(self.arguments[0])), ""), node)
        return list(node.children)


class _RoomsDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        """List the rooms, each with its first line."""
        found = nodes.bullet_list()
        for room in rooms.ROOMS:
            name = f"mipbook.{room}"
            line, *_ = (rooms.face(room).__doc__ or "").splitlines()
            reference = pending_xref(
                "", nodes.literal("", name), refdomain="py", reftype="mod", reftarget=name
            )
            item = nodes.paragraph("", "", reference, nodes.Text(f": {line.rstrip('.')}."))
            found += nodes.list_item("", item)
        return [found]


class _WordsDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        """List the shared arguments, each with its kind and what it means."""
        found = nodes.definition_list()
        for name in sorted(GLOSSARY, key=str.lower):
            kind, meaning = GLOSSARY[name]
            term = nodes.term("", "", nodes.literal("", name), nodes.Text(f": {kind}"))
            text = nodes.paragraph("", meaning.replace("``", ""))
            found += nodes.definition_list_item("", term, nodes.definition("", text))
        return [found]


@cache
def _classes() -> dict[str, str]:
    """Return the public classes by their own names, as types name them."""
    found = {}
    for room in rooms.ROOMS:
        face = rooms.face(room)
        for name in face.__all__:
            if isinstance(getattr(face, name), type):
                found[name] = f"mipbook.{room}.{name}"
    return found


def _link(name: str) -> str:
    full = _classes().get(name)
    return f":py:class:`{name} <{full}>`" if full else name


def _complete(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    if what in ("class", "function", "method"):
        lines[:] = completed(lines, obj, GLOSSARY, _link)
    # A property is told as a method: as an attribute, what stands before a colon were its type.
    told = "method" if what == "property" else what
    lines[:] = NumpyDocstring(lines, _NUMPYDOC, app, told, name, obj, options).lines()  # type: ignore[arg-type]
    if what in ("class", "function"):
        lines += ["", f".. called-in:: {name}", ""]


def _calls(env: Any) -> dict[str, tuple[dict[str, str], set[str]]]:
    if not hasattr(env, "mipbook_calls"):
        env.mipbook_calls = {}
    return env.mipbook_calls  # type: ignore[no-any-return]


def _collect(app: Sphinx, doctree: nodes.document) -> None:
    """Take what a page calls from its code."""
    blocks = doctree.findall(nodes.literal_block)
    code = [x.astext() for x in blocks if "python" in x.get("language", "")]
    bound, names = calls.called(code)
    _calls(app.env).pop(app.env.docname, None)
    if bound:
        _calls(app.env)[app.env.docname] = bound, names


def _merge(app: Sphinx, env: Any, pages: set[str], other: Any) -> None:
    _calls(env).update({page: found for page, found in _calls(other).items() if page in pages})


def _purge(app: Sphinx, env: Any, page: str) -> None:
    _calls(env).pop(page, None)


def _resolve(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Name the pages that call a function below it."""
    for place in list(doctree.findall(_CalledIn)):
        users = [p for p, (_, names) in sorted(_calls(app.env).items()) if place["name"] in names]
        paragraph = nodes.paragraph("", "In the book: ", classes=["mb-called-in"])
        for i, user in enumerate(users):
            title = app.env.titles[user].astext()
            uri = app.builder.get_relative_uri(page, user)
            paragraph += nodes.Text(", ") if i else nodes.Text("")
            paragraph += nodes.reference("", title, internal=True, refuri=uri)
        place.replace_self(paragraph if users else [])


def _link_code(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    bound, _ = _calls(app.env).get(page, ({}, set()))
    if not bound or "body" not in context:
        return
    objects = app.env.domains["py"].data["objects"]

    def address(name: str) -> str:
        found = objects.get(name)
        if not found:
            return ""
        return f"{app.builder.get_relative_uri(page, found.docname)}#{found.node_id}"

    context["body"] = calls.linked(context["body"], bound, address)


def connect(app: Sphinx) -> None:
    """Register the directives and the links with Sphinx."""
    app.setup_extension("sphinx.ext.autodoc")
    app.add_node(_CalledIn)
    app.add_directive("room", _RoomDirective)
    app.add_directive("rooms", _RoomsDirective)
    app.add_directive("words-of-the-api", _WordsDirective)
    app.add_directive("called-in", _CalledInDirective)
    app.connect("autodoc-process-docstring", _complete)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("doctree-read", _collect)
    app.connect("doctree-resolved", _resolve)
    app.connect("html-page-context", _link_code)
