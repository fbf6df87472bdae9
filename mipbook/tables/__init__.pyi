from .cells import LARGEST, number
from .load import load_table
from .read import read_table
from .reading import Reading, describe_file, read_columns
from .roles import Role, as_columns, resolve
from .table import Table

__all__ = [
    "LARGEST",
    "Reading",
    "Role",
    "Table",
    "as_columns",
    "describe_file",
    "load_table",
    "number",
    "read_columns",
    "read_table",
    "resolve",
]
