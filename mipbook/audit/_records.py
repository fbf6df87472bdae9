"""Records of any kind: tables, images, data frames, sparse matrices; and where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorable import validate
from mipbook.base.attempt import attempt
from mipbook.base.types import Array

__all__ = ["Source", "numbers_of", "size_of", "source_of", "take"]

_KINDS = "numbers, one record a row: an array, a data frame, a sparse matrix; or a sampler(rng, count)"


def take(records: Any, rows: Any) -> Any:
    """Return a copy of some records, in the reader's own kind of container."""
    return records.iloc[rows] if hasattr(records, "iloc") else records[rows]


def size_of(records: Any) -> int:
    """Return how many records there are; a sparse matrix has no length."""
    return int(records.shape[0])


def numbers_of(records: Any, most: int) -> Array:
    """Return the numbers of each record as columns; none if there are more than ``most``."""
    if hasattr(records, "iloc"):
        records = records.select_dtypes(["number", "bool"])
    count = size_of(records)
    if int(np.prod(records.shape[1:])) > most:
        return np.empty((count, 0))
    dense = records.toarray() if hasattr(records, "toarray") else np.asarray(records)
    return np.asarray(dense, dtype=np.float64).reshape(count, -1)


def _finite(name: str, value: Any, table: Any) -> None:
    kind = getattr(table.dtype, "kind", "O")
    if kind not in "biuf":
        validate.refuse(name, value, _KINDS)
    if kind == "f" and not np.isfinite(table).all():
        validate.refuse(name, value, "free of nan and infinities")


def _records(name: str, value: Any) -> Any:
    """Return records that `take` understands, all there and finite."""
    if hasattr(value, "iloc") and getattr(value, "ndim", 1) == 2:
        if value.isna().to_numpy().any():
            validate.refuse(name, value, "free of missing values")
        _finite(name, value, value.select_dtypes(["number", "bool"]).to_numpy(np.float64))
        records = value
    elif hasattr(value, "tocsr"):  # sparse, of whatever kind
        records = value.tocsr()
        _finite(name, value, records.data)
    else:
        try:
            records = np.asarray(value)
        except ValueError:
            validate.refuse(name, value, f"rows of one length, {_KINDS}")
        _finite(name, value, records)
        if records.ndim == 1:
            records = records[:, None]
    if len(records.shape) < 2 or not np.prod(records.shape):
        validate.refuse(name, value, _KINDS)
    return records


def _targets(value: Any, count: int) -> Any:
    try:
        targets = np.asarray(value)
        if targets.dtype.kind == "O":
            targets = np.array(targets.tolist())
    except ValueError:
        validate.refuse("y", value, f"of shape ({count},)")
    if targets.shape != (count,):
        validate.refuse_as("y", f"of shape {targets.shape}", f"of shape ({count},), one a row of X")
    if targets.dtype.kind not in "biufU":
        validate.refuse("y", value, "numbers or strings")
    if targets.dtype.kind == "f" and not np.isfinite(targets).all():
        validate.refuse("y", value, "free of nan and infinities")
    return targets


@dataclass(frozen=True)
class Source:
    """Where records come from: the rows of a table, or a function of the reader's."""

    X: Any
    y: Any
    count: int

    def draw(self, rng: np.random.Generator, count: int) -> tuple[Any, Any]:
        """Return so many independent records of one distribution."""
        if self.count:
            # With replacement: a draw without it is not independent, and Definition 3's
            # security is about independent records.
            rows = rng.integers(0, self.count, count)
            return take(self.X, rows), None if self.y is None else self.y[rows]
        found = attempt("X", self.X, f"when asked for {count} records", self.X, rng, count)
        X, y = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
        X = _records("X", X)
        if size_of(X) != count:
            validate.refuse_as("X", f"{size_of(X)} records", f"a sampler of {count} when asked")
        return X, None if y is None else _targets(y, count)


def source_of(X: Any, y: Any) -> tuple[Source, str]:
    """Check where records come from, and say what is drawn."""
    if callable(X):
        if y is not None:
            validate.refuse("y", y, "None where X is a sampler: it returns (X, y)")
        return Source(X, None, 0), "every model gets fresh records from the sampler"
    table = _records("X", X)
    count = size_of(table)
    if count < 2:
        validate.refuse_as("X", f"{count} records", "at least 2 records")
    return Source(table, None if y is None else _targets(y, count), count), (
        f"members and others are drawn from the table's {count} records, with replacement: the "
        "population is the table"
    )
