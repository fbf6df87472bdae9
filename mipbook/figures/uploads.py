"""What the labs do to a file's records before they compute, and say about it."""

from __future__ import annotations

import numpy as np

from explorable.tables import Reading
from mipbook.base.types import Array

__all__ = ["even_records", "repeats"]


def even_records(reading: Reading, records: Array, seed: int) -> tuple[Array, str]:
    """Leave a record out where the count is odd, and say which; it is drawn at random."""
    if len(records) % 2 == 0:
        return records, ""
    place = int(np.random.default_rng(seed).integers(len(records)))
    row = reading.table.lines[place]
    words = f"row {row}, drawn at random, is left out, since halves need an even count"
    return np.delete(records, place, axis=0), words


def repeats(records: Array) -> str:
    """Say how many records repeat an earlier one, nothing where none does."""
    count = len(records) - len(np.unique(records, axis=0))
    if not count:
        return ""
    does, counts = ("repeats", "counts") if count == 1 else ("repeat", "count")
    noun = "record" if count == 1 else "records"
    who = "a different person" if count == 1 else "different persons"
    return f"{count:,} {noun} {does} an earlier one and {counts} as {who}"
