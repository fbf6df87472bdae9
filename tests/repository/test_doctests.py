"""The examples in the package's documentation run as printed."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

import mipbook

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


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_public_function_has_an_example():
    """A function without an example is a function nobody has tried from its documentation."""
    for area in AREAS:
        module = importlib.import_module(f"mipbook.{area}")
        for name in module.__all__:
            public = getattr(module, name)
            if inspect.isfunction(public):
                takes = ["Parameters", "Raises"] if inspect.signature(public).parameters else []
                for section in (*takes, "Returns", "Examples", ">>> "):
                    assert section in public.__doc__, f"{area}.{name} lacks {section}"
                assert "Notes" in public.__doc__ or "References" in public.__doc__, name
