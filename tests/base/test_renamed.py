"""Old names still work, and say where the thing is now."""

import importlib

import pytest

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
