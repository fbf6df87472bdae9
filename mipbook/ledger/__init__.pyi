from .check import (
    Check,
    Comparison,
    Excuse,
    Record,
    apart,
    read_records,
    records,
    result,
)
from .results import Result, results

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
