"""Release a statistic of a file with a promise: ``python -m mipbook release pool.csv --eta 0.1``.

FILE is a table of numbers, one person a row. Half of the rows, drawn at random and never told,
give the statistic of each column; noise for the promise is added. What is printed may be published,
once: a second release of the same file is not covered. What was read goes to the error stream.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from mipbook.commands.pool import add_file, read_pool
from mipbook.release import MIPRelease

__all__ = ["main"]

STATISTICS: dict[str, Callable[..., Any]] = {"mean": np.mean, "median": np.median}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mipbook release",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_file(parser)
    parser.add_argument("--statistic", choices=STATISTICS, default="mean")
    parser.add_argument(
        "--eta", type=float, default=0.1, help="nobody is right more than 1/2 + eta of the time"
    )
    parser.add_argument("--json", action="store_true", help="print the numbers for a program")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a release of the file's statistic, and what it promises."""
    options = vars(_parser().parse_args(sys.argv[1:] if arguments is None else arguments))
    statistic = partial(STATISTICS[options["statistic"]], axis=0)
    wrapper = MIPRelease(statistic, options["eta"])  # refuses its eta before a file is read
    records, columns, read = read_pool(options, secrets.randbelow(2**32))
    # Noise and half must be nobody's to draw again, so no seed is taken.
    released = wrapper.release(records, rng=np.random.default_rng())
    values = dict(zip(columns, map(float, released.parameters), strict=True))
    print(read, file=sys.stderr)  # it tells of single rows
    if options["json"]:
        told = {
            options["statistic"]: values,
            "eta": released.eta,
            "scale": float(released.noise.scale),
            "guaranteed": released.guaranteed,
            "statement": released.statement,
        }
        print(json.dumps(told, indent=1, allow_nan=False))
        return
    print(f"{options['statistic']}, with noise:")
    for name, value in values.items():
        print(f"  {name}  {value!r}")
    print(f"\n{released.statement}")
