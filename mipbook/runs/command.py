"""Make the stored runs again: ``python -m mipbook runs overfitting`` or ``... runs table1``."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

RUNS = {"overfitting": "mipbook.runs.overfitting", "table1": "mipbook.runs.make_table1"}


def main() -> None:
    """Make the runs that the command line names, with what else it asks of them."""
    parser = argparse.ArgumentParser(prog="python -m mipbook runs", description=__doc__)
    parser.add_argument("name", choices=RUNS)
    import_module(RUNS[parser.parse_args(sys.argv[1:2]).name]).main(sys.argv[2:])
