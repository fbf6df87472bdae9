"""The examples in the package's documentation run as printed."""

import doctest
import importlib
import inspect
import pkgutil
import re
from typing import Any

import pytest

import explorable
import mipbook
import studies
from mipbook.book import GLOSSARY

MODULES = [
    m.name
    for package in (explorable, mipbook, studies)
    for m in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not m.name.endswith("__main__")
]

# The rooms of mathematics say where a result comes from.
MATHS = {"tradeoff", "mechanisms", "game", "mip", "pmp", "mis", "accounting", "dpsgd"}
# What checks the book and builds it is called by nobody from its documentation.
MACHINERY = ("ledger", "publish")


class Finder(doctest.DocTestFinder):
    """Finds the examples of decorated functions too, which doctest takes for another module's."""

    def _from_module(self, module, object):
        return super()._from_module(module, inspect.unwrap(object))


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    runner = doctest.DocTestRunner()
    for test in Finder().find(importlib.import_module(name)):
        runner.run(test)
    assert runner.summarize().failed == 0


def public_functions() -> dict[str, list[Any]]:
    """Return the public functions of each package, by the package's name."""
    found = {}
    for module in pkgutil.walk_packages(mipbook.__path__, "mipbook."):
        name = module.name.removeprefix("mipbook.")
        if module.ispkg and not name.startswith(MACHINERY):
            package = importlib.import_module(module.name)
            public = [getattr(package, key) for key in getattr(package, "__all__", ())]
            found[name] = [value for value in public if inspect.isfunction(value)]
    return {name: functions for name, functions in found.items() if functions}


def lacking(function: Any, *, sourced: bool) -> list[str]:
    """Return what the documentation of a function leaves out."""
    text = function.__doc__ or ""
    elsewhere = re.search(r"\b[Aa]s (in|for) `|\b[Ss]ee `", text)
    found = [
        f"describe {argument!r} under Parameters, "
        "or put it into explorable/glossary.py if it is always the same"
        for argument in inspect.signature(function).parameters
        if argument not in GLOSSARY
        and not elsewhere
        and not re.search(rf"^( *|.*, )\*{{0,2}}{argument}(, .*)? : ", text, re.MULTILINE)
    ]
    # A function without an example is a function nobody has tried from its documentation.
    if ">>> " not in text:
        found.append("add a section Examples that runs")
    if sourced and not re.search(r"^ *(Notes|References)\n *---", text, re.MULTILINE):
        found.append("add References, or Notes if it is our own")
    return [f"{function.__module__}.{function.__name__}: {what}" for what in found]


@pytest.mark.parametrize("package", public_functions())
def test_every_public_function_says_what_its_signature_does_not(package):
    functions = public_functions()[package]
    found = [line for f in functions for line in lacking(f, sourced=package in MATHS)]
    assert not found, "\n".join(found)
