"""Say what a release means: ``python -m mipbook translate --epsilon 3 --delta 1e-5``.

Of the options those of one promise or mechanism: --epsilon with --delta for DP; --alpha with
--epsilon for Renyi DP; --mu for Gaussian DP; --rho for zCDP; --epsilon with --answers for
randomised response; --sigma for Gaussian noise, with --sampling on a sample; --scale for
Laplace noise.  The noise is in units of --sensitivity.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Sequence

from mipbook.accounting.known import translate
from mipbook.accounting.reading import DELTAS, FPRS, Reading
from mipbook.commands import output

__all__ = ["main"]


def _numbers(reading: Reading) -> dict[str, object]:
    """Return what a program wants of a reading."""
    return {
        "what": reading.what,
        "accuracy": reading.accuracy(),
        "advantage": reading.advantage.value,
        "tpr": {str(f): reading.tpr(f) for f in FPRS},
        "auc": reading.auc.value,
        "epsilon": {str(delta): float(reading.epsilon(delta)) for delta in DELTAS},
        "eta": reading.eta.value,
        "security": 1.0 - reading.mis.value,
        "sentence": reading.sentence(),
        "sharp": reading.sharp,
        "neighbours": "replace" if reading.replaced else "add or remove",
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the reading of what the command line names, or write its report."""
    parser = argparse.ArgumentParser(
        prog="python -m mipbook translate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = list(inspect.signature(translate).parameters)
    for name in names:
        parser.add_argument(f"--{name}", type=float, metavar="NUMBER")
    output.add_options(parser)
    options = vars(parser.parse_args(sys.argv[1:] if arguments is None else arguments))
    output.check_target(options["html"], options["force"])
    reading = translate(**{name: options[name] for name in names})
    panel = None
    if options["html"] is not None:
        from mipbook.commands.pictures import reading_panel

        panel = reading_panel(reading)
    output.tell(options, reading, _numbers(reading), panel)
