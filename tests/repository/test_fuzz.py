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

# What is known to be wrong: "function, argument = value: outcome" as a failure prints it. A line
# that no longer occurs fails too, so the list can only shrink.
KNOWN: frozenset[str] = frozenset()


# A twelfth by day, by their names, so that the same are tried until all are.
BY_DAY = {name for name in fuzzing.targets() if crc32(name.encode()) % 12 == 0}


def night(name):
    return () if name in BY_DAY else pytest.mark.nightly


@pytest.mark.parametrize("name", [pytest.param(n, marks=night(n)) for n in fuzzing.targets()])
def test_bad_arguments_are_refused_by_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    count, found = fuzzing.fuzz(fuzzing.targets()[name])
    known = {line for line in KNOWN if line.partition(", ")[0] == name}
    new = [line for line in found if line not in known]
    assert count > 0
    assert not new, f"{len(new)} of {count} calls:\n" + "\n".join(new[:20])
    assert known <= set(found), f"mended, so no longer known: {known - set(found)}"


def test_all_public_packages_are_walked():
    areas = {name.split(".")[1] for name in fuzzing.targets()}
    assert areas >= {"tradeoff", "mechanisms", "game", "mip", "pmp", "mis", "release", "figures"}
    assert {"mipbook.game.Roc.tpr_at", "mipbook.release.MIPRelease"} <= set(fuzzing.targets())
    assert all(line.partition(", ")[0] in fuzzing.targets() for line in KNOWN)


def no_example(x):
    return x


def careful(x):
    """Return a double.

    >>> careful(1.0)
    2.0
    """
    return 2 * validate.number("x", x, -1e150, 1e150)


def test_a_function_without_example_fails():
    target = fuzzing.Target("here.no_example", no_example, (no_example,))
    with pytest.raises(AssertionError, match="no example calls it"):
        fuzzing.base_call(target)


def test_a_careful_function_passes():
    made = fuzzing.Target("here.careful", careful, (careful,))
    made.calls[careful] = [(True, 0.0, {"x": 1.0})]
    count, found = fuzzing.fuzz(made)
    assert count > 50
    assert found == []


@pytest.mark.parametrize(
    ("function", "outcome"),
    [
        (lambda x: x + 1.0, "x = None: TypeError"),
        (lambda x: warnings.warn("look", stacklevel=2) or careful(x), "x = 0.5: UserWarning: look"),
        (lambda x: {"deep": (np.array([careful(x), np.nan]),)}, "x = 0.5: nan in the result"),
        (lambda x: next(n for n in itertools.count() if careful(x) < 0), "x = 0.5: takes more than 0.05 s"),
        (lambda x: careful(x) and np.ones(fuzzing.BYTES // 4), "x = 0.5: (_Array)?MemoryError"),
        (lambda x: validate.number("y", x, 0.0, 0.5), "x = 'text': ValueError without the name: y = 'text'"),
    ],
)
def test_each_kind_of_defect_is_found(function, outcome, monkeypatch):
    monkeypatch.setattr(fuzzing, "SECONDS", 0.05)
    made = fuzzing.Target("here.function", function, (function,))
    made.calls[function] = [(True, 0.0, {"x": 0.25})]
    _, found = fuzzing.fuzz(made)
    assert any(re.search(outcome, line) for line in found), found
