"""Every package that the project imports is asked for, in the place that its room allows."""

import ast
import sys
import tomllib
from importlib import metadata
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from shared import ROOT, pins

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
# Only these rooms may ask for an extra as soon as they are loaded.
ENGINE = ("figures", "book", "apps", "lite", "pdf", "serve")
NEED_EXTRAS = {
    "mipbook/figures": ("figures",),
    "mipbook/commands/pictures.py": ("figures",),
    "explorable/panels/first": ENGINE,
    "explorable/panels": ("figures",),
    **{f"explorable/{room}": ENGINE for room in ("checks", "node", "outputs", "serve", "sphinx")},
    "studies": tuple(EXTRAS),
}


def names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for text in requirements}


def imported(path: Path) -> list[tuple[str, bool]]:
    """What a file imports from elsewhere, and whether it does so as soon as it is loaded."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    known = sys.stdlib_module_names | {"explorable", "mipbook", "studies"}
    found = []
    for node in ast.walk(tree):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
        modules += [name.name for name in node.names] if isinstance(node, ast.Import) else []
        tops = {module.partition(".")[0] for module in modules} - known
        found += [(top, node in tree.body) for top in tops]
    return found


def test_every_import_is_asked_for():
    always = names(PROJECT["dependencies"])
    extra = {name: names(wanted) for name, wanted in EXTRAS.items()}
    distributions = metadata.packages_distributions()
    for path in chain(*((ROOT / top).rglob("*.py") for top in ("explorable", "mipbook", "studies"))):
        place = path.relative_to(ROOT).as_posix()
        # What runs in an environment of its own has its pins beside it.
        own = path.with_name(path.stem.removeprefix("ask_") + ".txt")
        elsewhere = set(pins(str(own)) if own.is_file() else ())
        for module, at_once in imported(path):
            asked = {canonicalize_name(name) for name in distributions.get(module, [module])}
            needs = next((told for start, told in NEED_EXTRAS.items() if place.startswith(start)), ())
            allowed = needs if at_once else extra
            ranges = always.union(elsewhere, *(extra[name] for name in allowed))
            if elsewhere:
                asked.add(canonicalize_name(module))
            where = f"an extra of {', '.join(allowed)}" if allowed else "dependencies"
            assert asked & ranges, f"{path}: name {module} in pyproject.toml, in {where}"
