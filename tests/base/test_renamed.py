"""Old names still work, and say where the thing is now."""

import ast
import importlib
from pathlib import Path

import pytest
from shared import ROOT

from explorable import checks, panels
from mipbook import accounting, dpsgd, mis


@pytest.mark.parametrize(
    ("old", "name", "place"),
    [
        ("together", "translate", accounting),
        ("together", "certified_epsilon", dpsgd),
        ("together", "mean_attack_tpr", mis),
        ("explore", "Explorable", panels),
        ("ledger", "results", checks),
    ],
)
def test_an_old_name_hands_over_and_names_the_new_place(old, name, place):
    module = getattr(importlib.import_module("mipbook"), old)
    with pytest.warns(DeprecationWarning, match=rf"mipbook\.{old}\.{name} is {place.__name__}\.{name} now"):
        found = getattr(module, name)
    assert found is getattr(place, name)
    assert name in dir(module)


def test_an_old_name_can_be_imported():
    space: dict[str, object] = {}
    with pytest.warns(DeprecationWarning, match=r"mipbook\.accounting\.Reading") as told:
        exec("from mipbook.together import Reading", space)
    assert space["Reading"] is accounting.Reading
    assert told[0].filename == "<string>"


def test_what_never_was_there_is_not_there_now():
    with pytest.raises(AttributeError, match=r"'mipbook\.together' has no attribute 'no_such'"):
        _ = importlib.import_module("mipbook.together").no_such


def test_no_name_that_a_package_hands_on_is_that_of_a_module_in_it():
    """Once the module is loaded it would stand where the function should."""
    handed = [
        (Path(*node.module.split(".")), name.name)
        for face in (*ROOT.glob("mipbook/**/__init__.py"), *ROOT.glob("explorable/**/__init__.py"))
        for node in ast.walk(ast.parse(face.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module.count(".")
        for name in node.names
    ]
    assert len(handed) > 300
    assert not [name for module, name in handed if (ROOT / module.parent / f"{name}.py").exists()]
