"""The reference of the package: a page a room, and the links between it and the chapters.

Nothing is listed here, so a new function needs no line of its own.  A docstring leaves out a
parameter that means the same everywhere and types that the signature gives; a reader of the page
has neither at hand, so they are put back.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import NumpyDocstring
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import nested_parse_with_titles

from explorable import lazy, settings, sources
from explorable.checked import rules_of
from explorable.sphinx.run import PerPage


def rooms() -> tuple[str, ...]:
    """Return the packages that the reference shows, by their full names."""
    return settings.book().rooms


@cache
def _above() -> frozenset[str]:
    """Return the rooms, and the packages that they stand in."""
    parts = [room.split(".") for room in rooms()]
    return frozenset(".".join(p[:end]) for p in parts for end in range(1, len(p) + 1))


@dataclass
class Group:
    """Names of a room that come from one module, under its title; none has an empty one."""

    title: str
    module: str = ""
    names: list[str] = field(default_factory=list)


def is_constant(value: object) -> bool:
    """Say whether a public name is a plain value, which carries no documentation itself."""
    return not (inspect.isclass(value) or inspect.isroutine(inspect.unwrap(value)))  # type: ignore[arg-type]


def _first_line(module: ModuleType) -> str:
    return (module.__doc__ or "").strip().partition("\n")[0].rstrip(".")


def _home(room: str, name: str) -> str:
    """Return the module that defines a public name of a room."""
    value = getattr(import_module(room), name)
    if not is_constant(value) and (module := getattr(value, "__module__", None)):
        return str(module)
    # A plain value does not know where it comes from.
    source = Path(import_module(room).__file__ or "").read_text(encoding="utf-8")
    return lazy.offered(source, room).get(name, (room, name))[0]


def groups(room: str) -> list[Group]:
    """Return the public names of a room, those of each module under its first line.

    Examples
    --------
    >>> "Slider" in next(group for group in groups("explorable.panels") if "Sliders" in group.title).names
    True
    """
    found = {room: Group("")}
    for name in sorted(import_module(room).__all__, key=lambda x: (x.lower(), x)):
        # What a room hands on from elsewhere stands under its own name.
        home = f"{_home(room, name)}."
        inner = home.removeprefix(f"{room}.").split(".")[0] if home.startswith(f"{room}.") else ""
        key = f"{room}.{inner}" if inner else room
        if key not in found:
            found[key] = Group(_first_line(import_module(key)), inner)
        found[key].names.append(name)
    return [group for group in found.values() if group.names]


def told(room: str, name: str) -> tuple[str, str]:
    """Return a plain value as Python, and the comment that stands above it in its module."""
    # Where a function lies in memory is no part of it, and another one at each build.
    said = re.sub(r" at 0x[0-9a-f]+", "", repr(getattr(import_module(room), name)))
    above: list[str] = []
    for line in inspect.getsource(import_module(_home(room, name))).splitlines():
        if re.match(rf"{name}\b", line):
            return said, " ".join(above)
        above = [*above, line.strip().lstrip("# ")] if line.lstrip().startswith("#") else []
    return said, ""


_WORDS = {
    r"\bArrayLike\b": "array_like",
    r"\b(NDArray\[[^\]]*\]|Array|Floats|np\.ndarray)": "ndarray",
    # What a figure returns need not be said.
    r"^go\.Figure$": "",
    r"\b(np\.random|numpy\.random\._generator)\.Generator\b": "numpy.random.Generator",
    r"\bAny\b": "",
    r" \| ": " or ",
}


@dataclass
class _Entry:
    """A parameter, or several with one text, as it stands in a docstring."""

    names: list[str]
    type: str = ""
    text: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        return [" : ".join(filter(None, [", ".join(self.names), self.type])), *self.text]


def _sections(lines: list[str]) -> dict[str, list[str]]:
    """Split a docstring at its underlined titles; what stands before them has none."""
    found: dict[str, list[str]] = {"": []}
    title = above = ""
    for line in lines:
        if re.fullmatch(r"-{3,}", line) and re.fullmatch(r"\w[\w ]*", above):
            found[title].pop()
            title = above
            found[title] = []
        else:
            found[title].append(line)
        above = line
    return found


def _entries(lines: list[str]) -> list[_Entry]:
    found: list[_Entry] = []
    for line in lines:
        if line and not line.startswith(" "):
            names, _, kind = line.partition(" : ")
            found.append(_Entry([name.strip() for name in names.split(",")], kind.strip()))
        elif found:
            found[-1].text.append(line)
    return found


def _linked(kind: str, link: Callable[[str], str]) -> str:
    if re.search(r"['\"]", kind) and "`" not in kind:
        return f"``{kind}``"  # else the quotes of a choice become typographic ones
    return re.sub(r"\b[A-Z]\w+\b", lambda word: link(word[0]), kind)


def _type(annotation: object) -> str:
    """Write an annotation as the docstrings do; one that says nothing is left out."""
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    # What a figure declares beside the type is told by its own words.
    text = re.sub(r"^Annotated\[([^,]+),.*\]$", r"\1", text, flags=re.S)
    for pattern, word in _WORDS.items():
        text = re.sub(pattern, word, text)
    return "" if text == "None" else text


def _ruled(obj: Any) -> dict[str, str]:
    """Return the types behind the names of types that have a rule, such as ``Rate``."""
    inner = obj.__init__ if inspect.isclass(obj) else obj
    with suppress(NameError):  # what only a type checker sees has no rule
        hints = get_type_hints(inspect.unwrap(inner)) if (names := rules_of(inner)) else {}
        return {n: "array_like" if hints[n] is Any else inspect.formatannotation(hints[n]) for n in names}
    return {}


def _parameters(obj: Any) -> tuple[dict[str, Any], object]:
    try:
        signature = inspect.signature(obj)
    except (TypeError, ValueError):
        return {}, inspect.Parameter.empty
    ruled, kinds = _ruled(obj), inspect.Parameter
    stars: dict[object, str] = {kinds.VAR_POSITIONAL: "*", kinds.VAR_KEYWORD: "**"}
    taken = {
        stars.get(parameter.kind, "") + name: ruled.get(name, parameter.annotation)
        for name, parameter in signature.parameters.items()
        if name not in ("self", "cls")
    }
    return taken, signature.return_annotation


def _filled(
    written: list[_Entry], taken: Mapping[str, object], glossary: Mapping[str, tuple[str, str]]
) -> list[_Entry]:
    """Return an entry for every parameter: as it was written, else from the glossary."""
    place = {name.lstrip("*"): entry for entry in written for name in entry.names}
    found: list[_Entry] = []
    for name, annotation in taken.items():
        entry, kind = place.get(name.lstrip("*")), _type(annotation)
        if entry is None and name in glossary:
            usual, meaning = glossary[name]
            entry = _Entry([name], kind if kind in ("float", "int") else usual, [f"    {meaning}"])
        entry = entry or _Entry([name])
        if entry not in found:
            entry.type = entry.type or kind
            found.append(entry)
    # A class may describe fields that it computes.
    return found + [entry for entry in written if entry not in found]


def completed(
    lines: list[str],
    obj: Any,
    glossary: Mapping[str, tuple[str, str]],
    link: Callable[[str], str] = lambda name: name,
) -> list[str]:
    """Return a docstring with all parameters of an object's signature, each with its type.

    Parameters
    ----------
    lines : list of str
        The docstring as it was written.
    obj : object
        What it describes.
    glossary : mapping
        From the name of a parameter to its kind and what it means everywhere.
    link : callable
        Gives a class name of a type as it is to stand on the page.

    Examples
    --------
    >>> def half(n: int, eta: float = 0.1) -> float:
    ...     "Halve."
    >>> completed(["Halve."], half, {"eta": ("float", "The edge.")})[2:7]
    ['Parameters', '----------', 'n : int', 'eta : float', '    The edge.']
    """
    sections = _sections(lines)
    taken, returned = _parameters(obj)
    entries = _filled(_entries(sections.pop("Parameters", [])), taken, glossary)
    for entry in entries:
        entry.type = _linked(entry.type, link)
    done = [*sections.pop(""), ""]
    if entries:
        done += ["Parameters", "----------", *(x for entry in entries for x in entry.lines()), ""]
    kind = "" if inspect.isclass(obj) else _type(returned)
    if "Returns" not in sections and "Yields" not in sections and kind:
        sections = {"Returns": [kind], **sections}
    # What a record holds that has no place of its own is told with the function that returns it.
    answer = getattr(inspect.unwrap(obj), "__globals__", {}).get(str(returned))
    if inspect.isclass(answer) and link(answer.__name__) == answer.__name__:
        held = _sections(inspect.cleandoc(answer.__doc__ or "").splitlines()).get("Attributes")
        sections |= {"Attributes": held} if held else {}
    for title, body in sections.items():
        if title in ("Returns", "Yields"):
            body = [x if not x or x.startswith(" ") else _linked(x, link) for x in body]
        done += [title, "-" * len(title), *body, ""]
    return done


# One name as Pygments writes it, the dot between two, and a chain of them.
_SPAN = r'<span class="n[a-z]*">(\w+)</span>'
_DOT = r'<span class="o">\.</span>'
_CHAIN = re.compile(f"(?<!{_DOT}){_SPAN}((?:{_DOT}{_SPAN})*)")
_NAME = re.compile(_SPAN)
# A name with dots in a sentence.
_PROSE = re.compile(
    r'<code class="docutils literal notranslate"><span class="pre">((?:\w+\.)+\w+)</span></code>'
)


def _bound(tree: ast.AST) -> dict[str, str]:
    """Return the names that a piece of code takes from the package, with their full names."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in _above():
            for name in node.names:
                found[name.asname or name.name] = f"{node.module}.{name.name}"
        elif isinstance(node, ast.Import):
            for name in node.names:
                if name.name in _above() and ("." not in name.name or name.asname):
                    found[name.asname or name.name] = name.name
    return found


def _public(parts: list[str], bound: dict[str, str]) -> tuple[str, int]:
    """Return the public name that a chain of names begins with, and how many of them it takes."""
    if parts[0] not in bound:
        return "", 0
    for count in range(1, len(parts) + 1):
        full = ".".join([bound[parts[0]], *parts[1:count]])
        if full not in _above():
            room, _, name = full.rpartition(".")
            is_public = room in rooms() and name in import_module(room).__all__
            return (full, count) if is_public else ("", 0)
    return "", 0


def called(cells: Iterable[str]) -> tuple[dict[str, str], set[str]]:
    """Return what a page takes from the package, and the public names that its code uses.

    Parameters
    ----------
    cells : iterable of str
        The page's code, cell by cell; what is no Python is passed over.
    """
    trees = []
    for cell in cells:
        lines = (line for line in cell.splitlines() if not line.startswith(("%", "!")))
        with suppress(SyntaxError):
            trees.append(ast.parse("\n".join(lines)))
    bound = {name: full for tree in trees for name, full in _bound(tree).items()}
    chains = (chain for tree in trees for chain in sources.chains([*ast.walk(tree)]))
    names = {_public(chain, bound)[0] for chain in chains}
    return bound, names - {""}


def linked(html: str, bound: dict[str, str], address: Callable[[str], str]) -> str:
    """Return a page's HTML with a link on each public name in its code and its sentences.

    Parameters
    ----------
    html : str
        The page's body; code stands in it as Pygments writes it.
    bound : dict
        What the page takes from the package, as `called` returns it.
    address : callable
        Gives the address of a public name, or nothing if it has none.
    """

    def link(found: re.Match[str]) -> str:
        spans = [found[1], *_NAME.findall(found[2])]
        full, count = _public(spans, bound)
        # A bare name may be a variable of the page as well; a call is none.
        called_now = html.startswith('<span class="p">(', found.end())
        target = address(full) if full and (count > 1 or called_now) else ""
        if not target:
            return found[0]
        cut = [*_NAME.finditer(found[0])][count - 1].end()
        return f'<a class="mb-code" href="{target}">{found[0][:cut]}</a>{found[0][cut:]}'

    def told(found: re.Match[str]) -> str:
        parts = found[1].split(".")
        full, count = _public(parts, {**bound, **{name: name for name in _above() if "." not in name}})
        inside = html.rfind("<a ", 0, found.start()) > html.rfind("</a>", 0, found.start())
        target = address(full) if count == len(parts) and not inside else ""
        return f'<a class="mb-code" href="{target}">{found[0]}</a>' if target else found[0]

    html = _PROSE.sub(told, html)
    return _CHAIN.sub(link, html)


_LONG = 200  # characters of a plain value that are shown

# Types stand as text beside the parameters; those of attributes as well.
_NUMPYDOC = Config(
    napoleon_use_param=False,
    napoleon_use_rtype=False,
    napoleon_custom_sections=[("Attributes", "params_style")],
)


# What each page takes from the packages, and the public names that it uses.
CALLS: PerPage[tuple[dict[str, str], set[str]]] = PerPage("calls")


class _CalledIn(nodes.General, nodes.Element):
    """Stands for the chapters that call a function until all of them have been read."""


class _CalledInDirective(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return [_CalledIn(name=self.arguments[0])]


def _members(thing: Any, shown: Any) -> tuple[str, ...]:
    """Return the options for a class: its members, and those of bases without a place here."""
    if not isinstance(thing, type):
        return ()
    first, *bases = thing.__mro__[1:]
    own = sources.followed()
    for base in (first, *bases):
        if base.__module__.split(".")[0] not in own or base.__name__ in shown.__all__:
            inherited = (f"   :inherited-members: {base.__name__}",) if base is not first else ()
            return ("   :members:", *inherited)
    return ()


def _page(room: str, modules: Sequence[str], opens: bool) -> Iterable[str]:
    """Write a room, or some modules of it: of each a table of its names, then each in full."""
    shown = import_module(room)
    yield from (f".. py:{'module' if opens else 'currentmodule'}:: {room}", "")
    if opens:
        yield from (*inspect.cleandoc(shown.__doc__ or "").splitlines(), "")
    for group in (group for group in groups(room) if not modules or group.module in modules):
        if group.title:
            yield from (group.title, "-" * len(group.title), "")
        plain = [name for name in group.names if is_constant(getattr(shown, name))]
        others = [name for name in group.names if name not in plain]
        # Sphinx's autosummary parses every docstring a second time for this.
        for name in others:
            first, *_ = (getattr(shown, name).__doc__ or "").strip().splitlines()
            yield f"* `{name}`: {first}"
        yield ""
        for name in others:
            kind = "class" if isinstance(getattr(shown, name), type) else "function"
            yield f".. auto{kind}:: {room}.{name}"
            yield from (*_members(getattr(shown, name), shown), "")
        for name in plain:
            value, comment = told(room, name)
            value = value if len(value) <= _LONG else f"{value[:_LONG]} ..."
            yield from (f".. py:data:: {name}", f"   :value: {value}", "", f"   {comment}", "")


class _RoomDirective(SphinxDirective):
    """A room; with the names of some of its modules these alone, and its first page has its own name."""

    required_arguments, optional_arguments = 1, 25

    def run(self) -> list[nodes.Node]:
        room, *modules = self.arguments
        # Another name in the room, or another docstring, makes another page.
        for path in Path(import_module(room).__file__ or "").parent.rglob("*.py*"):
            self.env.note_dependency(str(path))
        node = nodes.section()
        node.document = self.state.document
        opens = not modules or Path(self.env.docname).name == room.partition(".")[2].replace(".", "-")
        nested_parse_with_titles(self.state, StringList(list(_page(room, modules, opens)), ""), node)
        return list(node.children)


class _RoomsDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        """List the rooms, each with its first line."""
        found = nodes.bullet_list()
        for name in rooms():
            place = {"refdomain": "py", "reftype": "mod", "reftarget": name}
            link = pending_xref("", nodes.literal("", name), **place)
            item = nodes.paragraph("", "", link, nodes.Text(f": {_first_line(import_module(name))}."))
            found += nodes.list_item("", item)
        return [found]


class _WordsDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        """List the shared arguments, each with its kind and what it means."""
        found = nodes.definition_list()
        for name, (kind, meaning) in sorted(settings.book().arguments.items(), key=lambda x: x[0].lower()):
            term = nodes.term("", "", nodes.literal("", name), nodes.Text(f": {kind}"))
            text = nodes.paragraph("", meaning.replace("``", ""))
            found += nodes.definition_list_item("", term, nodes.definition("", text))
        return [found]


@cache
def _classes() -> dict[str, str]:
    """Return the public classes by their own names, as types name them."""
    names = [(room, name) for room in rooms() for name in import_module(room).__all__]
    return {n: f"{room}.{n}" for room, n in names if isinstance(getattr(import_module(room), n), type)}


def _link(name: str) -> str:
    full = _classes().get(name)
    return f":py:class:`{name} <{full}>`" if full else name


def complete_docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Complete a docstring, and make it what Sphinx reads."""
    if what in ("class", "function", "method"):
        lines[:] = completed(lines, obj, settings.book().arguments, _link)
    # A property is told as a method: as an attribute, what stands before a colon were its type.
    told = "method" if what == "property" else what
    lines[:] = NumpyDocstring(lines, _NUMPYDOC, app, told, name, obj, options).lines()  # type: ignore[arg-type]
    if what in ("class", "function"):
        lines += ["", f".. called-in:: {name}", ""]


def collect_calls(app: Sphinx, doctree: nodes.document) -> None:
    """Take what a page calls from its code."""
    blocks = doctree.findall(nodes.literal_block)
    code = [x.astext() for x in blocks if "python" in x.get("language", "")]
    bound, names = called(code)
    if bound:
        CALLS.of(app.env)[app.env.docname] = bound, names


def name_callers(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Name the pages that call a function below it."""
    for place in list(doctree.findall(_CalledIn)):
        users = [p for p, (_, names) in sorted(CALLS.of(app.env).items()) if place["name"] in names]
        paragraph = nodes.paragraph("", "In the book: ", classes=["mb-called-in"])
        for i, user in enumerate(users):
            title, uri = app.env.titles[user].astext(), app.builder.get_relative_uri(page, user)
            paragraph += nodes.Text(", " * (i > 0))
            paragraph += nodes.reference("", title, internal=True, refuri=uri)
        place.replace_self(paragraph if users else [])


def link_code(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Link the public names in the code and the sentences of a page."""
    bound, _ = CALLS.of(app.env).get(page, ({}, set()))
    if not bound or "body" not in context:
        return
    objects = app.env.domains["py"].data["objects"]

    def address(name: str) -> str:
        found = objects.get(name)
        return f"{app.builder.get_relative_uri(page, found.docname)}#{found.node_id}" if found else ""

    context["body"] = linked(context["body"], bound, address)


def register(app: Sphinx) -> None:
    """Tell Sphinx of the directives."""
    app.setup_extension("sphinx.ext.autodoc")
    app.add_node(_CalledIn)
    app.add_directive("room", _RoomDirective)
    app.add_directive("rooms", _RoomsDirective)
    app.add_directive("words-of-the-api", _WordsDirective)
    app.add_directive("called-in", _CalledInDirective)
