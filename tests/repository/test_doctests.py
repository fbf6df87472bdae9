"""The examples in the package's documentation run as printed, and each public function has one."""

import doctest
import importlib
import inspect
import pkgutil
import re

import fuzzing
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


def lacking(function, package):
    """Return what the documentation of a function leaves out."""
    text = function.__doc__ or ""
    elsewhere = re.search(r"\b[Aa]s (in|for) `|\b[Ss]ee `", text)
    untold = () if elsewhere else inspect.signature(function).parameters.keys() - GLOSSARY
    found = [
        f"describe {argument!r} under Parameters, or put it into GLOSSARY if it is always the same"
        for argument in untold
        if not re.search(rf"^( *|.*, )\*{{0,2}}{argument}(, .*)? : ", text, re.MULTILINE)
    ]
    if ">>> " not in text:
        found.append("add a section Examples that runs")
    sourced = re.search(r"^ *(Notes|References)\n *---", text, re.MULTILINE)
    if package.removeprefix("mipbook.") in MATHS and not sourced:
        found.append("add References, or Notes if it is our own")
    return [f"{function.__module__}.{function.__name__}: {what}" for what in found]


def test_every_public_function_says_what_its_signature_does_not():
    found, count = [], 0
    for package in (each.__name__ for each in fuzzing.packages()):
        face = importlib.import_module(package)
        public = [getattr(face, name) for name in getattr(face, "__all__", ())]
        for function in filter(inspect.isfunction, public):
            found += lacking(function, package)
            count += 1
    assert count > 100
    assert not found, "\n".join(found)
