"""Long runs that travel with the package, and the commands that make them."""

from mipbook.runs.table1 import Table1, table1

__all__ = ["Table1", "table1"]
