"""Every public function refuses bad arguments by name, or gives a right answer.

What is tested is found by walking the package: a new function is in as soon as it is public,
and an example in its documentation gives the valid call that the bad values are put into.
"""

import itertools
import re
import tempfile
import warnings
from zlib import crc32

import fuzzing
import numpy as np
import pytest

from explorable import validate

# A twelfth by day, by their names, so that the same are tried until all are.
EACH = [
    pytest.param(name, marks=() if crc32(name.encode()) % 12 == 0 else pytest.mark.nightly)
    for name in fuzzing.targets()
]


@pytest.mark.parametrize("name", EACH)
def test_bad_arguments_are_refused_by_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    count, found = fuzzing.fuzz(fuzzing.targets()[name])
    assert count > 0
    assert not found, f"{len(found)} of {count} calls:\n" + "\n".join(found[:20])


def test_all_public_packages_are_walked():
    areas = {name.split(".")[1] for name in fuzzing.targets()}
    assert areas >= {"tradeoff", "mechanisms", "game", "mip", "pmp", "mis", "release", "figures"}
    assert {"mipbook.game.Roc.tpr_at", "mipbook.release.MIPRelease"} <= set(fuzzing.targets())


def careful(x):
    """Return a double, of which no example tells."""
    return 2 * validate.number("x", x, -1e150, 1e150)


def test_each_kind_of_defect_is_found(monkeypatch):
    for function, outcome in (
        (careful, ""),
        (lambda x: x + 1.0, "x = None: TypeError"),
        (lambda x: warnings.warn("look", stacklevel=2) or careful(x), "x = 0.5: UserWarning: look"),
        (lambda x: {"deep": (np.array([careful(x), np.nan]),)}, "x = 0.5: nan in the result"),
        (lambda x: next(n for n in itertools.count() if careful(x) < 0), "x = 0.5: takes more than 0.05 s"),
        (lambda x: careful(x) and np.ones(fuzzing.BYTES // 4), "x = 0.5: (_Array)?MemoryError"),
        (lambda x: validate.number("y", x, 0.0, 0.5), "x = 'text': ValueError without the name: y = 'text'"),
    ):
        monkeypatch.setattr(fuzzing, "SECONDS", 0.05 if outcome else 4.0)
        made = fuzzing.Target("here.function", function, (function,))
        made.calls[function] = [(True, 0.0, {"x": 0.25})]
        count, found = fuzzing.fuzz(made)
        assert count > 50
        assert any(re.search(outcome, line) for line in found) if outcome else not found, found
