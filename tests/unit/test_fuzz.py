"""Every public function refuses bad arguments by name, or gives a right answer.

What is tested is found by walking the package: a new function is in as soon as it is public,
and an example in its documentation gives the valid call that the bad values are put into.
"""

from __future__ import annotations

import fuzzing
import pytest

# What is known to be wrong: "function, argument = value: outcome" as a failure prints it. A line
# that no longer occurs fails too, so the list can only shrink.
KNOWN: frozenset[str] = frozenset()


@pytest.mark.parametrize("name", fuzzing.targets())
def test_bad_arguments_are_refused_by_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    count, found = fuzzing.fuzz(fuzzing.targets()[name])
    known = {line for line in KNOWN if line.partition(", ")[0] == name}
    new = [line for line in found if line not in known]
    assert count > 0
    assert not new, f"{len(new)} of {count} calls:\n" + "\n".join(new[:20])
    assert known <= set(found), f"mended, so no longer known: {known - set(found)}"
