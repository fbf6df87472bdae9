from .check import Check, apart, records, result
from .record import Comparison, Excuse, Record, read_records
from .rows import Result, results

__all__ = [
    "Check",
    "Comparison",
    "Excuse",
    "Record",
    "Result",
    "apart",
    "read_records",
    "records",
    "result",
    "results",
]
