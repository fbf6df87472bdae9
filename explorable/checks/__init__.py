"""The numbered results, and the checks that the book runs."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from explorable.checks.check import Check, apart, records, result
    from explorable.checks.record import Comparison, Excuse, Record, read_records
    from explorable.checks.rows import Result, results

__getattr__, __dir__, __all__ = lazy.attach(__name__)
