"""The examples in the package's documentation run as printed."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest

import mipbook
from mipbook.base.glossary import GLOSSARY

MODULES = [
    m.name
    for m in pkgutil.walk_packages(mipbook.__path__, "mipbook.")
    if not m.name.endswith("__main__")
]

AREAS = (
    *("tradeoff", "mechanisms", "game", "data", "mip", "pmp", "mis", "learners"),
    *("choose", "audit", "release", "runs"),
    *("figures.game", "figures.mip", "figures.pmp", "figures.mis"),
)


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


def test_the_example_of_a_decorated_function_is_found():
    module = importlib.import_module("mipbook.figures.mip.exact_noise")
    assert [t.name for t in Finder().find(module) if t.examples] == [
        "mipbook.figures.mip.exact_noise.exact_noise"
    ]


def test_every_public_function_says_what_its_signature_does_not():
    """A function without an example is a function nobody has tried from its documentation."""
    for area in AREAS:
        module = importlib.import_module(f"mipbook.{area}")
        for name in module.__all__:
            public = getattr(module, name)
            if inspect.isfunction(public):
                text = public.__doc__
                elsewhere = re.search(r"\b[Aa]s (in|for) `|\b[Ss]ee `", text)
                assert ">>> " in text, f"{area}.{name}: add a section Examples that runs"
                for argument in inspect.signature(public).parameters:
                    described = re.search(rf"^( *|.*, ){argument}(, .*)? : ", text, re.MULTILINE)
                    assert described or elsewhere or argument in GLOSSARY, (
                        f"{area}.{name}: describe {argument!r} under Parameters, "
                        "or put it into mipbook/base/glossary.py if it is always the same"
                    )
                sourced = "Notes" in text or "References" in text
                assert sourced, f"{area}.{name}: add References, or Notes if it is our own"
