"""Long runs that travel with the package, and the commands that make them."""

from mipbook.runs.ladder import Ladder, ladder
from mipbook.runs.other_tools import tool_answers, tool_versions
from mipbook.runs.store import Run, StoredRun, declared, load, names
from mipbook.runs.table1 import Table1, table1

__all__ = [
    "Ladder",
    "Run",
    "StoredRun",
    "Table1",
    "declared",
    "ladder",
    "load",
    "names",
    "table1",
    "tool_answers",
    "tool_versions",
]
