"""A ROC curve from rates, and to JSON and back."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from mipbook.base.types import Array

__all__ = ["from_text", "points_of", "to_text"]

_KIND = "mipbook.game.Roc"
_MOST = 10**7
# Of a rate that is a count over a number of records, in doubles.
_CLOSE = 1e-9
_ALLOWED = "text that Roc.to_json wrote"


def _total(name: str, rates: Array, given: Any) -> int:
    """Return of how many records these are rates: as given, else the least that fits."""
    if given is not None:
        return validate.integer(name, given, 1, _MOST)
    total = 1
    for rate in np.unique(rates):
        # A count over at most ten million is told apart by its doubles.
        nearest = Fraction(float(rate)).limit_denominator(_MOST)
        if abs(float(nearest) - rate) > 1e-15:
            total = _MOST + 1
        total = math.lcm(total, nearest.denominator)
        if total > _MOST:
            rates_of = {"members": "tpr", "others": "fpr"}[name]
            validate.refuse(
                rates_of,
                float(rate),
                f"with all the others a count over at most {_MOST:,} records; "
                f"say how many there were with {name}=...",
            )
    return total


def _counts(name: str, rates: Array, total: int, of: str) -> NDArray[np.int64]:
    counts = np.round(rates * total)
    off = np.abs(rates * total - counts) > _CLOSE * max(total, 1)
    if off.any():
        allowed = f"a count over {of} = {total}; nothing rounded"
        validate.refuse(name, float(rates[off][0]), allowed)
    return counts.astype(np.int64)


def points_of(
    fpr: Any, tpr: Any, members: Any, others: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64], int, int]:
    """Return the counts behind rates: false and true positives from (0, 0) to all, and totals."""
    false = validate.array("fpr", fpr, 0.0, 1.0, ndim=1)
    hit = validate.array("tpr", tpr, 0.0, 1.0, ndim=1)
    if false.size == 0:
        validate.refuse("fpr", fpr, "at least one rate")
    if hit.shape != false.shape:
        validate.refuse("tpr", tpr, f"one rate for each of the {false.size} in fpr")
    for name, rates in (("fpr", false), ("tpr", hit)):
        if np.any(np.diff(rates) < 0):
            validate.refuse(name, rates, "rising, as the threshold falls")
    members, others = _total("members", hit, members), _total("others", false, others)
    fp = _counts("fpr", false, others, "others")
    tp = _counts("tpr", hit, members, "members")
    # Calling nobody and calling everybody *in* are attackers too.
    fp, tp = np.concatenate([[0], fp, [others]]), np.concatenate([[0], tp, [members]])
    new = np.append(True, (np.diff(fp) > 0) | (np.diff(tp) > 0))
    return fp[new], tp[new], members, others


def to_text(thresholds: Array, tp: Any, fp: Any, members: int, others: int) -> str:
    """Return the counts as JSON; infinite thresholds, which JSON has no number for, as words."""
    told = [t if math.isfinite(t) else str(t) for t in thresholds.tolist()]
    return json.dumps(
        {
            "kind": _KIND,
            "thresholds": told,
            "tp": tp.tolist(),
            "fp": fp.tolist(),
            "members": members,
            "others": others,
        },
        allow_nan=False,
    )


def from_text(text: Any) -> dict[str, Any]:
    """Return the fields of a curve from its JSON; nothing in it is believed unseen."""
    if not isinstance(text, str | bytes):
        validate.refuse("text", text, _ALLOWED)
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        validate.refuse("text", text, _ALLOWED)
    if not isinstance(told, dict) or told.get("kind") != _KIND:
        validate.refuse("text", text, _ALLOWED)
    try:
        members, others = (validate.integer(k, told.get(k), 1) for k in ("members", "others"))
        tp = _rising("tp", told.get("tp"), members)
        fp = _rising("fp", told.get("fp"), others)
        thresholds = validate.array("thresholds", [float(t) for t in told["thresholds"]], ndim=1)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"text = the JSON of a ROC curve that is damaged: {error}") from None
    fits = tp.size == fp.size == thresholds.size + 1
    if not fits or np.any(np.diff(thresholds) >= 0) or np.any(np.diff(tp) + np.diff(fp) == 0):
        validate.refuse("text", text, f"{_ALLOWED}; its lists do not fit together")
    fields = {"tp": tp, "fp": fp, "members": members, "others": others}
    return {"thresholds": thresholds, **fields}


def _rising(name: str, counts: Any, total: int) -> NDArray[np.int64]:
    """Return counts that rise from none to all."""
    found = validate.array(name, counts, 0.0, float(total), ndim=1)
    rises = found.size > 1 and found[0] == 0 and found[-1] == total and np.all(np.diff(found) >= 0)
    if not rises or np.any(found != np.floor(found)):
        validate.refuse(name, found, f"whole numbers that rise from 0 to {total}")
    return found.astype(np.int64)
