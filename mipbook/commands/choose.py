"""Choose an epsilon for a data set: ``python -m mipbook choose pool.csv --target 0.1``.

FILE is a table of numbers, one person a row; half of the rows, drawn at random and kept secret,
are what is released as a mean with Gaussian noise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np

from mipbook.base.rounding import up
from mipbook.choose import choose_epsilon
from mipbook.commands import output
from mipbook.commands.pool import add_file, read_pool

__all__ = ["main"]

# A report's panel chooses anew at each of its stops.
_MOST_IN_REPORT = 2000
_LOOKED = (
    "The clip threshold is the length of the longest record, so it tells of the data. For a "
    "release give --clip, a bound that is no secret."
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mipbook choose",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_file(parser)
    parser.add_argument("--target", type=float, default=0.1, help="largest PMP parameter, eps~")
    parser.add_argument("--clip", type=float, help="largest length of a record")
    parser.add_argument("--delta", type=float, default=1e-5)
    parser.add_argument("--seed", type=int, default=0, help="draws the row that is left out of an odd number")
    output.add_options(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the epsilon for the file's pool, or write its report."""
    options = vars(_parser().parse_args(sys.argv[1:] if arguments is None else arguments))
    output.check_target(options["html"], options["force"])
    records, _, read = read_pool(options, options["seed"])
    in_report = options["html"] is not None
    if in_report and len(records) > _MOST_IN_REPORT:
        most = f"a report's pool has at most {_MOST_IN_REPORT:,} records; without --html"
        raise ValueError(f"{len(records):,} records: {most} all of them are taken")
    clip = options["clip"]
    if clip is None:
        clip = up(float(np.linalg.norm(records, axis=1).max()), 3) or 1.0
    settings = {"target": options["target"], "clip": clip, "delta": options["delta"]}
    answer = choose_epsilon(records, **settings, by_index=True)
    if options["clip"] is None:
        answer = replace(answer, notes=(*answer.notes, _LOOKED))
    panel = None
    if in_report:
        from mipbook.commands.pictures import pool_panel

        panel = pool_panel(records, **settings)
    numbers = {"read": read, **asdict(answer), "clip": clip}
    output.tell(options, answer, numbers, panel, read)
