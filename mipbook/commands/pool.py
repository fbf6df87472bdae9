"""A person's file as a pool: its numbers, an even count of records, what was read."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from explorable.private import private
from explorable.tables import Reading, load_table, resolve
from mipbook.base.types import Array
from mipbook.choose.choice import POOL_ROLES
from mipbook.figures.uploads import even_records, repeats

__all__ = ["Pool", "add_file", "read_pool"]

_MOST_RECORDS, _MOST_COLUMNS = 5_000_000, 1000


class Pool(NamedTuple):
    """The records, the names of their columns, and what was read in words."""

    records: Array
    columns: tuple[str, ...]
    read: str


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the file and its columns to what a command takes."""
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--columns", nargs="+", metavar="COLUMN", help="those that make up a record; else all"
    )


@private("options", also=("path", "columns"))
def read_pool(options: Mapping[str, Any], seed: int) -> Pool:
    """Read the file that the options name; a row too many, drawn by the seed, is left out."""
    roles = (POOL_ROLES[0]._replace(most=_MOST_COLUMNS),)
    chosen = {"columns": options["columns"]} if options["columns"] else {}
    table = load_table(options["file"])
    found = resolve(table, roles, chosen)
    reading = Reading(table, roles, found)
    reading.check_records(2, _MOST_RECORDS)
    records, left = even_records(reading, reading.numbers("columns"), seed)
    return Pool(records, found["columns"], reading.say(left, repeats(records)))
