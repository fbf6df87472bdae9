"""Tables of a reader's own: one reader for every figure, and nothing about a file is silent.

- Commas, semicolons (then a comma is the decimal point), tabs or blanks separate.
- The first row holds the names if no cell of it is a number.
- JSON with a list for each name, and the arrays that NumPy saves, are tables too.  Pickles are
  refused: reading one would run what somebody wrote into it.
- A number is digits with a decimal point and an exponent, up to `LARGEST` in size.  ``1,000``,
  ``10%``, ``0x1F``, ``nan``, ``inf`` and formulas are refused in words, with row and column.
- Columns are chosen by name; the obvious ones are taken, and said; where there is a choice the
  reader is asked.  A running number is never taken among *all others*.
"""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from explorable.tables.cells import LARGEST, number
    from explorable.tables.read import load_table, read_table
    from explorable.tables.roles import Reading, Role, as_columns, describe_file, read_columns, resolve
    from explorable.tables.table import Table

__getattr__, __dir__, __all__ = lazy.attach(__name__)
