"""What of the package a piece of code can reach, a digest of it, and what is kept under that.

An executed page, a drawn panel and a judged check stay good until something changes that they
may depend on. That is read off the imports: a name that a package only passes on leads to the
module that defines it, so that a change of one figure does not touch the pages of others.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import os
import platform
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from threading import get_ident
from typing import Any

from explorable import settings

# When this process began to load what it runs; a kernel is a fork, and has that of the build.
_BEGUN = time.time()
# Names the folder of what each module was found to use; none outside of a build of the book.
MEMORY = "USES"
# A module that hands on what the book says of itself, which is loaded by its name.
_SAYS = ("explorable.settings", "book")
# What only a command needs that serves, prints or packs the pages.
_FOR_TOOLS = re.compile(r"""extra == ["'](apps|lite|pdf|serve)["']""")
# Scripts, styles and templates are read by pages and commands, not by what a kernel executes.
_NOT_READ = {".js", ".mjs", ".md", ".ts", ".css", ".j2", ".html", ".txt", ".typed", ".pyc", ".png", ".woff2"}
# A module, and the one name of it that is used; None for the whole module.
Use = tuple[str, str | None]


def followed() -> dict[str, Path]:
    """Return the folders of the packages that are followed, by name: the engine, and the book's own."""
    return _folders(settings.name())


@cache
def _folders(name: str) -> dict[str, Path]:
    found = {"explorable": Path(__file__).parent}
    package = settings.book().package
    spec = find_spec(package) if package else None
    if spec and spec.submodule_search_locations:
        found[package] = Path(next(iter(spec.submodule_search_locations)))
    return found


@cache
def _modules() -> dict[str, Path]:
    """Return the file of every module of the packages that are followed."""
    found = {}
    for name, folder in followed().items():
        for path in folder.rglob("*.py"):
            parts = (name, *path.relative_to(folder).with_suffix("").parts)
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _told(path: Path) -> bytes:
    """Return a file's place in its package, and what it holds."""
    for name, folder in followed().items():
        if path.is_relative_to(folder):
            return f"{name}/{path.relative_to(folder).as_posix()}".encode() + path.read_bytes()
    return path.read_bytes()


def chains(found: list[ast.AST]) -> Iterator[list[str]]:
    """Yield every name that is read, with the attributes that are asked of it, as longest chain."""
    nodes = [node for node in found if isinstance(node, ast.Attribute | ast.Name)]
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        if id(node) in inner:
            continue
        chain: list[str] = []
        link: ast.AST = node
        while isinstance(link, ast.Attribute):
            chain.insert(0, link.attr)
            link = link.value
        if isinstance(link, ast.Name):
            yield [link.id, *chain]


def _uses(tree: ast.AST) -> Iterator[Use]:
    """Yield what a piece of code takes from the package."""
    bound: dict[str, str] = {}
    nodes = list(ast.walk(tree))  # once, for a large tree takes long
    for node in nodes:
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name.split(".")[0] in followed():
                    top = name.name.split(".")[0]
                    bound[name.asname or top] = name.name if name.asname else top
                    # Named in full, it is loaded whether or not it is used.
                    if name.name not in followed():
                        yield name.name, None
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in followed():
            for name in node.names:
                module = f"{node.module}.{name.name}"
                if module in _modules():
                    bound[name.asname or name.name] = module
                else:
                    yield node.module or "", None if name.name == "*" else name.name
    for first, *rest in chains(nodes):
        module = bound.get(first, "")
        while rest and f"{module}.{rest[0]}" in _modules():
            module = f"{module}.{rest.pop(0)}"
        if module and module not in followed():
            yield module, rest[0] if rest else None


@cache
def _parsed(module: str) -> ast.Module:
    """Parse a module; what a package loads lazily stands under ``if TYPE_CHECKING``."""
    tree = ast.parse(_modules()[module].read_bytes())
    if _modules()[module].name == "__init__.py":
        tree.body += [
            line
            for block in tree.body
            if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
            for line in block.body
        ]
    return tree


@cache
def _passed_on(module: str) -> dict[str, Use]:
    """Return the names that a module takes from elsewhere in the package, and from where."""
    found: dict[str, Use] = {}
    for node in _parsed(module).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in followed():
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                use = (inner, None) if inner in _modules() else (node.module or "", name.name)
                found[name.asname or name.name] = use
    return found


@cache
def _layout() -> bytes:
    """Digest what a module's uses depend on beside its own text: which modules there are."""
    return hashlib.sha256("".join([*sorted(_modules()), inspect.getsource(_uses)]).encode()).digest()


@cache
def _needed(module: str) -> frozenset[Use]:
    """Return what a module uses; every kernel of a build asks it of the same modules."""
    folder, path = settings.told(MEMORY), _modules()[module]
    if not folder:
        return frozenset(_uses(_parsed(module)))
    text = b"".join([_layout(), module.encode(), path.read_bytes()])
    place = Path(folder, hashlib.sha256(text).hexdigest()[:24])
    found = kept(place, lambda: sorted(_uses(_parsed(module)), key=str))
    return frozenset((used, name) for used, name in found)


def steps(code: str) -> dict[Path, int]:
    """Return the package's files that a piece of code may depend on, and how far each is.

    Parameters
    ----------
    code : str
        Python source.

    Returns
    -------
    dict of pathlib.Path to int
        1 for a file that the code itself uses, 2 for what such a file uses, and so on.

    Examples
    --------
    >>> {path.name: far for path, far in steps("import explorable.validate").items() if far == 1}
    {'validate.py': 1}
    """
    todo = deque((use, 1) for use in _uses(ast.parse(code)))
    seen: set[Use] = set()
    found: dict[Path, int] = {}
    while todo:
        use, far = todo.popleft()
        if use in seen:
            continue
        seen.add(use)
        if use == _SAYS:
            todo.append(((os.environ.get(settings.NAME, ""), None), far + 1))
        module, name = use
        path = _modules().get(module)
        if path is None:
            continue
        if path.name == "__init__.py" and name in _passed_on(module):
            # A name that is only passed on is no further away.
            todo.appendleft((_passed_on(module)[name], far))
            continue
        found.setdefault(path, far)
        todo += [(needed, far + 1) for needed in _needed(module)]
    return found


def reached(code: str) -> list[Path]:
    """Return the package's files that a piece of code may depend on, in order.

    Parameters
    ----------
    code : str
        Python source.

    Examples
    --------
    >>> names = [path.name for path in reached("import explorable.validate")]
    >>> "validate.py" in names, "check.py" in names
    (True, False)
    """
    return sorted(steps(code))


def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed libraries that a page may call.

    Examples
    --------
    >>> {"python", "numpy", "scikit-learn"} <= set(versions())
    True
    """
    found = {"python": platform.python_version()}
    package = settings.book().package
    asked = requires(package) if package else None
    lines = [line for line in asked or [] if not _FOR_TOOLS.search(line)]
    names = {re.split(r"[^\w.-]", line)[0] for line in lines}
    for name in sorted(names, key=str.lower):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


@cache
def _data(portable: bool) -> bytes:
    """Digest what the package's code may read or call: its data, and the libraries' versions."""
    total = hashlib.sha256()
    for path in sorted(path for folder in followed().values() for path in folder.rglob("*")):
        if path.is_file() and path.suffix not in _NOT_READ | {".py"}:
            total.update(_told(path))
    called = versions()
    if portable:
        called["python"] = called["python"].rpartition(".")[0]
    total.update(json.dumps(called).encode())
    return total.digest()


def digest(code: str, portable: bool = False) -> str:
    """Return a digest of a piece of code and of all that it may depend on.

    Parameters
    ----------
    code : str
        Python source.
    portable : bool
        Whether machines with other corrections of one Python, as 3.11.2 and 3.11.7, agree.

    Returns
    -------
    str
        The same as long as the code, what it reaches of the package, the package's data and
        the versions of the libraries are the same.

    Examples
    --------
    >>> digest("x = 1") == digest("x = 2")
    False
    """
    total = hashlib.sha256(_data(portable))
    total.update(code.encode())
    for path in reached(code):
        total.update(_told(path))
    return total.hexdigest()[:24]


def changed_since(code: str) -> bool:
    """Whether a file that a piece of code may depend on was changed after this process began to load them."""
    return any(path.stat().st_mtime > _BEGUN for path in reached(code))


def kept(path: Path, make: Callable[[], Any]) -> Any:
    """Return the JSON of a file, whose name holds a digest; made now if it is missing.

    Parameters
    ----------
    path : pathlib.Path
        The file. It is there whole or not at all, also when several processes or threads make it.
    make : callable
        Returns what is to be kept.

    Returns
    -------
    object
    """
    if path.is_file():
        return json.loads(path.read_text(encoding="utf-8"))
    made = make()
    put(path, json.dumps(made))
    return made


def put(path: Path, text: str) -> None:
    """Write a file whole or not at all, also while several processes or threads write or read it.

    Parameters
    ----------
    path : pathlib.Path
        The file; its folder is made where it is missing.
    text : str
        What it is to hold.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}-{get_ident()}")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
