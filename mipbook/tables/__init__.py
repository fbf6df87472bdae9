"""Tables of a reader's own: one reader for every figure, and nothing about a file is silent."""

from mipbook.tables.cells import LARGEST, number
from mipbook.tables.read import read_table
from mipbook.tables.reading import Reading, describe_file, read_columns
from mipbook.tables.roles import Role, as_columns, resolve
from mipbook.tables.table import Table

__all__ = [
    "LARGEST",
    "Reading",
    "Role",
    "Table",
    "as_columns",
    "describe_file",
    "number",
    "read_columns",
    "read_table",
    "resolve",
]
