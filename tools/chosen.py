"""A plugin of pytest: of what `make check` collects, run the nearest that fit into its time."""

import json
import os
import re
from pathlib import Path

import concerned
import durations
import pytest

# Names the file that says what was chosen, and takes what was left out.
CHOICE = "MIPBOOK_CHOICE"

# What a test is taken to last that has not run here before.
UNKNOWN = 0.2


def is_of(nodeid: str, words: list[str]) -> bool:
    """Say whether a test is of a changed thing, where there is one test a page or function."""
    one = re.search(r"\[(.+)\]$", nodeid)
    if not nodeid.startswith(concerned.ONE_EACH) or not one:
        return True
    # A function is meant by its last name, a page's panel by the page.
    told = {one[1], one[1].rpartition(".")[2], re.split(r"\.(?:md|ipynb)\b", one[1])[0]}
    return not told.isdisjoint(words)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    path = Path(os.environ[CHOICE])
    choice = json.loads(path.read_text(encoding="utf-8"))
    known, left = durations.load(config.rootpath), choice["seconds"]
    fits, late, other = [], [], []

    def turn(item: pytest.Item) -> tuple[int, float]:
        file = item.nodeid.partition("::")[0]
        return choice["files"].get(file, 0), known.get(item.nodeid, UNKNOWN)

    for item in sorted(items, key=turn):
        if not is_of(item.nodeid, choice["words"]):
            other.append(item)
            continue
        left -= known.get(item.nodeid, UNKNOWN)
        (fits if left >= 0 else late).append(item)
    # In their own order: what they share is made once.
    items[:] = [item for item in items if item in set(fits)]
    config.hook.pytest_deselected(items=[*late, *other])
    choice["late"] = [item.nodeid for item in late]
    path.write_text(json.dumps(choice), encoding="utf-8")
