"""Say what an attack's scores prove: ``python -m mipbook audit scores.csv``.

FILE is a table of text with the columns score and member (CSV), or what a tool wrote: Privacy
Meter's npz, LeakPro's JSON, LiRA's folder of models.  Larger scores mean *in*.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from explorable import validate
from explorable.private import private
from explorable.tables import Reading, Role, resolve
from mipbook.audit.scores import FPRS, audit_scores
from mipbook.commands import output
from mipbook.game.scores_file import SCORE_ROLES, flags_of, scores_of, scores_table

__all__ = ["main"]

_MORE = ("other", "canaries")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mipbook audit",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--score", metavar="COLUMN", help="which column is the score")
    parser.add_argument("--member", metavar="COLUMN", help="which column says who was in")
    parser.add_argument("--other", metavar="COLUMN", help="a second attack's score, to compare")
    parser.add_argument(
        "--canaries",
        metavar="COLUMN",
        nargs="?",
        const="canary",
        help="audit one training run by the records that this column marks (canary, if not named)",
    )
    parser.add_argument(
        "--guesses", type=int, metavar="NUMBER", help="about the canaries; fix it before you look"
    )
    parser.add_argument("--keep", type=Path, metavar="FILE", help="LiRA's keep.npy for a npy FILE")
    parser.add_argument(
        "--smaller-is-in", action="store_true", help="a smaller score means in, as a loss does"
    )
    parser.add_argument("--fpr", type=float, nargs="+", default=FPRS, metavar="RATE")
    parser.add_argument("--delta", type=float, default=1e-5, metavar="NUMBER")
    parser.add_argument("--confidence", type=float, default=0.95, metavar="NUMBER")
    parser.add_argument("--seed", type=int, default=0, help="of the split behind the bound")
    output.add_options(parser)
    return parser


@private("options", also=("path", "keep", "columns", "--guesses"))
def _read(options: dict[str, Any]) -> tuple[Reading, dict[str, Any]]:
    """Return what the file holds: the reading, and the arguments of `audit_scores`."""
    roles = list(SCORE_ROLES)
    for name in _MORE:
        if options[name] is not None:
            roles.append(Role(name, name.capitalize(), f"is of {name}", f"is of {name}"))
    names = ("score", "member", *_MORE)
    chosen = {name: [options[name]] for name in names if options[name] is not None}
    table = scores_table(options["file"], options["keep"])
    reading = Reading(table, tuple(roles), resolve(table, roles, chosen))
    scores, member = scores_of(reading)
    sign = -1.0 if options["smaller_is_in"] else 1.0
    found: dict[str, Any] = {"scores": sign * scores, "member": member}
    if options["other"] is not None:
        found["other"] = sign * table.number_column(options["other"], infinite=True)
    if options["canaries"] is not None:
        found["canary"] = flags_of(reading, "canaries")
        found["guesses"] = options["guesses"]
    elif options["guesses"] is not None:
        validate.refuse("--guesses", options["guesses"], "given with --canaries")
    return reading, found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what the file proves, or write its report."""
    options = vars(_parser().parse_args(sys.argv[1:] if arguments is None else arguments))
    output.check_target(options["html"], options["force"])
    validate.integer("--seed", options["seed"], 0)
    reading, found = _read(options)
    settings = {key: options[key] for key in ("delta", "confidence")}
    rng = np.random.default_rng(options["seed"])
    report = audit_scores(**found, rng=rng, **settings, fprs=options["fpr"])
    panel = None
    if options["html"] is not None:
        from mipbook.commands.pictures import scores_panel

        panel = scores_panel(report)
    read = reading.say()
    output.tell(options, report, {"read": read, **report.numbers()}, panel, read)
