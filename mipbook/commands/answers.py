"""The commands that answer: each reads its options and a file, calls the package, and tells.

What a command says of itself with ``--help`` is its docstring. It loads only what it calls.
"""

import argparse
import inspect
import json
import math
import secrets
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from explorable import validate
from explorable.private import private, told
from explorable.tables import Reading, Role, load_table, resolve
from explorable.tables.cells import counted, listed
from mipbook.base.rounding import Report, up
from mipbook.base.types import Array
from mipbook.commands import output
from mipbook.figures.words import even_records, repeats

Arguments = Sequence[str] | None
# What a command takes: names, and how argparse is to read each.
_Options = dict[str, dict[str, Any]]
_MOST_RECORDS, _MOST_COLUMNS = 5_000_000, 1000
# A report's panel chooses anew at each of its stops.
_MOST_IN_REPORT = 2000
_LOOKED = (
    "The clip threshold is the length of the longest record, so it tells of the data. For a "
    "release give --clip, a bound that is no secret."
)
_NUMBER: dict[str, Any] = {"type": float, "metavar": "NUMBER"}
_WHOLE: dict[str, Any] = {"type": int, "metavar": "NUMBER"}
_COLUMN: dict[str, Any] = {"metavar": "COLUMN"}
_FILE: dict[str, Any] = {"type": Path, "metavar": "FILE"}
_MARKED = "audit one training run by the records that this column marks (canary, if not named)"
_STATISTICS: dict[str, Callable[..., Any]] = {"mean": np.mean, "median": np.median}


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong, as all other refusals do."""

    def error(self, message: str) -> NoReturn:
        name = self.prog.removeprefix("python -m ")
        self.exit(2, f"{name}: {message}; see {self.prog} --help\n")


def _asked(
    command: Callable[[Arguments], None], arguments: Arguments, options: _Options, *, reports: bool = True
) -> dict[str, Any]:
    """Read a command's line; where a report may be written is looked at before any work."""
    parser = _Parser(
        prog=f"python -m mipbook {command.__name__}",
        description=inspect.getdoc(command),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name, settings in options.items():
        parser.add_argument(name, **settings)
    output.add_options(parser, reports)
    line = sys.argv[1:] if arguments is None else list(arguments)
    found = vars(parser.parse_args(line))
    found["line"] = shlex.join(["mipbook", command.__name__, *map(str, line)])
    if reports:
        output.check_target(found["html"], found["force"])
    return found


def translate(arguments: Arguments = None) -> None:
    """Say what a release means: ``python -m mipbook translate --epsilon 3 --delta 1e-5``.

    Of the options those of one promise or mechanism: --epsilon with --delta for DP; --alpha with
    --epsilon for Renyi DP; --mu for Gaussian DP; --rho for zCDP; --epsilon with --answers for
    randomised response; --sigma for Gaussian noise, with --sampling on a sample; --scale for
    Laplace noise.  The noise is in units of --sensitivity.  Opacus, TensorFlow Privacy and
    dp-accounting speak of records that are added or removed: --neighbours add-remove.
    """
    from mipbook.accounting import translate as reading_of

    names = [name for name in inspect.signature(reading_of).parameters if name != "replaced"]
    numbers: _Options = {f"--{name}": _NUMBER for name in names}
    kinds = {"choices": ["add-remove", "replace"], "help": "how two neighbouring data sets differ"}
    options = _asked(translate, arguments, {**numbers, "--neighbours": kinds})
    kind = options["neighbours"]
    given = {name: options[name] for name in names}
    try:
        reading = reading_of(**given, replaced=None if kind is None else kind == "replace")
    except ValueError as error:
        raise ValueError(_spoken(str(error), given)) from None
    report: Report = reading
    told = output.told_of(reading)
    if kind is None and reading.replaced:
        other = reading_of(**given, replaced=False)
        told["add or remove"], report = output.told_of(other), output.BothWays((reading, other))
    output.tell(options, report, told, lambda pictures: pictures.reading_panel(reading))


def _spoken(message: str, given: dict[str, Any]) -> str:
    """Return a refusal with the options that were typed, where it names arguments."""
    if message.startswith("arguments = "):
        typed = [f"--{name}" for name, value in given.items() if value is not None]
        wrong = f"{listed(typed)} {'do not go together' if typed[1:] else 'is not enough'}: " if typed else ""
        return f"{wrong}give the numbers of one promise or mechanism, such as --epsilon with --delta"
    return f"--{message}" if message.partition(" ")[0] in given else message


def dpsgd(arguments: Arguments = None) -> None:
    """Say what DP-SGD leaks: ``python -m mipbook dpsgd --records 60000 --batch 256 --epochs 60 --noise 1.1``.

    Give --records and --batch, or --sampling; --epochs (with either), or --steps; --noise,
    --target-epsilon or both.  Each record is in each batch by a coin toss of its own (Poisson
    sampling), as Opacus and TensorFlow Privacy account for it.
    """
    settings: _Options = {
        "--records": {**_WHOLE, "help": "how many records there are"},
        "--batch": {**_WHOLE, "help": "records in a batch, on average"},
        "--sampling": {**_NUMBER, "metavar": "RATE", "help": "the chance of each record to be in a batch"},
        "--epochs": {**_NUMBER, "help": "how often each record is drawn, on average"},
        "--steps": {**_WHOLE, "help": "how many batches are drawn"},
        "--noise": {**_NUMBER, "help": "noise multiplier: its standard deviation over the clip"},
        "--target-epsilon": {**_NUMBER, "help": "find the noise that keeps this epsilon"},
        "--delta": {**_NUMBER, "default": 1e-5, "help": "at which epsilon is told (1e-5)"},
    }
    options = _asked(dpsgd, arguments, settings, reports=False)
    rate, steps = _schedule(**{name: options[name] for name in _SCHEDULE})
    noise, target = options["noise"], options["target_epsilon"]
    if noise is None and target is None:
        validate.refuse("--noise", noise, "given, or --target-epsilon")
    if noise is not None:
        noise = validate.number("--noise", noise, 0.1, 1000.0)
    if target is not None:
        target = validate.number("--target-epsilon", target, 1e-3, 500.0)
    delta = validate.number("--delta", options["delta"], 1e-10, 0.5)
    from mipbook.dpsgd.profile import account
    from mipbook.dpsgd.step import MOST_LOSS, Training

    if noise is not None and Training(rate, noise, steps).lost > MOST_LOSS:
        validate.refuse("--noise", noise, f"larger: after {steps:,} steps it promises nothing")
    report = account(
        sampling_rate=rate, steps=steps, noise_multiplier=noise, delta=delta, target_epsilon=target
    )
    output.tell(options, report, report.numbers() if options["json"] else {})


_SCHEDULE = ("records", "batch", "sampling", "epochs", "steps")


def _schedule(records: Any, batch: Any, sampling: Any, epochs: Any, steps: Any) -> tuple[float, int]:
    """Return the sampling rate and the steps, from the options that were given."""
    from mipbook.dpsgd.profile import schedule

    values = (records, batch, sampling, epochs, steps)
    typed = [f"--{name}" for name, value in zip(_SCHEDULE, values, strict=True) if value is not None]
    given = f"; given: {listed(typed)}" if typed else ""
    by_rate = sampling is not None
    if (records is None) != by_rate or (batch is None) != by_rate:
        raise ValueError(f"give --records with --batch, or --sampling without them{given}")
    if (epochs is None) == (steps is None):
        raise ValueError(f"give either --epochs or --steps{given}")
    # One pass over a single record that is drawn at a rate takes as many steps as over all.
    count, drawn = 1, sampling
    if not by_rate:
        count = validate.integer("--records", records, 1, 10**12)
        drawn = validate.integer("--batch", batch, 1, count)
        if drawn < 1e-6 * count:
            validate.refuse("--batch", batch, "at least a millionth of --records")
    else:
        validate.number("--sampling", sampling, 1e-6, 1.0)
    if steps is not None:
        return drawn / count, validate.integer("--steps", steps, 1, 10**6)
    rate, steps = schedule(count, drawn, validate.number("--epochs", epochs, 0.0, 1e12, open_low=True))
    if steps > 10**6:
        validate.refuse("--epochs", epochs, f"so few that there are 1,000,000 steps at most, not {steps:,}")
    return rate, steps


def audit(arguments: Arguments = None) -> None:
    """Say what an attack's scores prove: ``python -m mipbook audit scores.csv``.

    FILE is a table of text with the columns score and member (CSV), or what a tool wrote: Privacy
    Meter's npz, LeakPro's JSON, LiRA's folder of models.  Larger scores mean *in*.  Members and
    others may stand in two files (--others), or as two arrays, members and nonmembers, in one npz.
    """
    from mipbook.audit.scores import FPRS, audit_scores

    settings: _Options = {
        "file": _FILE,
        "--score": {**_COLUMN, "help": "which column is the score"},
        "--member": {**_COLUMN, "help": "which column says who was in"},
        "--other": {**_COLUMN, "help": "a second attack's score, to compare"},
        "--canaries": {**_COLUMN, "nargs": "?", "const": "canary", "help": _MARKED},
        "--guesses": {**_WHOLE, "help": "about the canaries; fix it before you look"},
        "--keep": {**_FILE, "help": "LiRA's keep.npy, when FILE is one scores.npy"},
        "--others": {**_FILE, "help": "the others' scores; FILE holds the members' alone"},
        "--drop-missing": {
            "action": "store_true",
            "help": "leave out rows without a value, and say how many",
        },
        "--smaller-is-in": {"action": "store_true", "help": "a smaller score means in, as a loss does"},
        "--fpr": {**_NUMBER, "nargs": "+", "default": FPRS, "metavar": "RATE", "help": "where TPR is read"},
        "--delta": {**_NUMBER, "default": 1e-5},
        "--confidence": {**_NUMBER, "default": 0.95},
        "--seed": {**_WHOLE, "default": 0, "help": "draws the rows that choose the threshold"},
    }
    options = _asked(audit, arguments, settings)
    validate.integer("--seed", options["seed"], 0)
    for rate in options["fpr"]:
        validate.number("--fpr", rate, 0.0, 1.0)
    reading, found, left = _read_scores(options)
    rng = np.random.default_rng(options["seed"])
    report = audit_scores(
        **found, rng=rng, delta=options["delta"], confidence=options["confidence"], fprs=options["fpr"]
    )
    read = reading.say(left)
    numbers = {"read": read, **report.numbers()}
    output.tell(options, report, numbers, lambda pictures: pictures.scores_panel(report), read)


@private("options", also=("path", "keep", "others", "columns", "--guesses"))
def _read_scores(options: dict[str, Any]) -> tuple[Reading, dict[str, Any], str]:
    """Return what the file holds: the reading, the arguments of `audit_scores`, and what was left out."""
    from mipbook.game.scores_file import SCORE_ROLES, flags_of, scores_of, scores_table

    more = [name for name in ("other", "canaries") if options[name] is not None]
    roles = (*SCORE_ROLES, *(Role(n, n.capitalize(), f"is of {n}", f"is of {n}") for n in more))
    names = [name for name in ("score", "member", *more) if options[name] is not None]
    table = scores_table(options["file"], options["keep"], options["others"])
    columns = resolve(table, roles, {name: [options[name]] for name in names})
    full = table.without_missing(name for each in columns.values() for name in each)
    dropped = len(table) - len(full)
    if dropped and not options["drop_missing"]:
        first, where = min(set(table.lines) - set(full.lines)), "entry" if table.source else "row"
        rest = f" (nor have {dropped - 1:,} more of {len(table):,})" if dropped > 1 else ""
        raise told(f"{where} {first} has no value{rest}; leave out such rows with --drop-missing")
    reading = Reading(full, roles, columns)
    scores, member = scores_of(reading)
    sign = -1.0 if options["smaller_is_in"] else 1.0
    found: dict[str, Any] = {"scores": sign * scores, "member": member}
    if "other" in more:
        found["other"] = sign * reading.table.number_column(options["other"], infinite=True)
    if "canaries" in more:
        found["canary"] = flags_of(reading, "canaries")
        found["guesses"] = options["guesses"]
    elif options["guesses"] is not None:
        validate.refuse("--guesses", options["guesses"], "given with --canaries")
    return reading, found, f"{counted(dropped, 'row')} without a value left out" if dropped else ""


_POOL: _Options = {
    "file": _FILE,
    "--columns": {**_COLUMN, "nargs": "+", "help": "those that make up a record; else all"},
}


@private("options", also=("path", "columns"))
def _read_pool(options: dict[str, Any], seed: int) -> tuple[Array, tuple[str, ...], str]:
    """Return the file's records, their columns, and what was read.

    A row too many, drawn by the seed, is left out.
    """
    from mipbook.choose.choice import POOL_ROLES

    roles = (POOL_ROLES[0]._replace(most=_MOST_COLUMNS),)
    table = load_table(options["file"])
    found = resolve(table, roles, {"columns": options["columns"]} if options["columns"] else {})
    reading = Reading(table, roles, found)
    reading.check_records(2, _MOST_RECORDS)
    records, left = even_records(reading, reading.numbers("columns"), seed)
    return records, found["columns"], reading.say(left, repeats(records))


def release(arguments: Arguments = None) -> None:
    """Release a statistic of a file with a promise: ``python -m mipbook release pool.csv --eta 0.1``.

    FILE is a table of numbers, one person a row. Half of the rows, drawn at random and never told,
    give the statistic of each column; noise for the promise is added. What is printed may be published,
    once: a second release of the same file is not covered. A summary of what was read goes to stderr.
    """
    from mipbook.release import MIPRelease

    settings: _Options = {
        **_POOL,
        "--statistic": {"choices": _STATISTICS, "default": "mean"},
        "--eta": {**_NUMBER, "default": 0.1, "help": "nobody is right more than 1/2 + eta of the time"},
        "--verbose": {"action": "store_true", "help": "say how the noise was found and drawn, too"},
    }
    options = _asked(release, arguments, settings, reports=False)
    name = options["statistic"]
    # It refuses its eta before a file is read.
    wrapper = MIPRelease(partial(_STATISTICS[name], axis=0), options["eta"])
    records, columns, read = _read_pool(options, secrets.randbelow(2**32))
    if still := [name for name, values in zip(columns, records.T, strict=True) if not np.ptp(values)]:
        told = "never changes, so no noise hides it; name the others with --columns"
        raise ValueError(f"{listed(still)} {told}")
    # Noise and half must be nobody's to draw again, so no seed is taken.
    released = wrapper.release(records, rng=np.random.default_rng())
    values = dict(zip(columns, map(float, released.parameters), strict=True))
    # In the data's own units; the noise of this command is Gaussian.
    deviations = dict(zip(columns, map(float, released.noise.scale * released.noise.weights), strict=True))
    print(read, file=sys.stderr)  # it tells of single rows
    if options["json"]:
        numbers = {"noise_sd": deviations, "scale": float(released.noise.scale)}
        promised = {key: getattr(released, key) for key in ("eta", "guaranteed", "statement")}
        print(json.dumps({name: values, **promised, **numbers}, indent=1, allow_nan=False))
        return
    print(f"{name}, with noise:")
    for column, value in values.items():
        noise = deviations[column]
        # Digits far below the noise say nothing.
        digits = max(0, 1 - math.floor(math.log10(noise))) if noise > 0 else 6
        print(f"  {column}  {value:.{digits}f} (noise sd {noise:.2g})")
    promise, details, left_out = released.statement.split("\n\n")
    print("", promise, *(["", details] if options["verbose"] else []), "", left_out, sep="\n")


def choose(arguments: Arguments = None) -> None:
    """Choose an epsilon for a data set: ``python -m mipbook choose pool.csv --target 0.1``.

    FILE is a table of numbers, one person a row; half of the rows, drawn at random and kept secret,
    are what is released as a mean with Gaussian noise, or the axis that is nearest to them by a wheel.
    """
    from mipbook.choose.examples import MECHANISMS, chosen

    more: _Options = {
        **_POOL,
        "--target": {**_NUMBER, "default": 0.1, "help": "largest PMP parameter, eps~"},
        "--mechanism": {"choices": MECHANISMS, "default": "gaussian", "help": "a mean, or an axis"},
        "--clip": {**_NUMBER, "help": "largest length of a record"},
        "--delta": {**_NUMBER, "default": 1e-5},
        "--seed": {**_WHOLE, "default": 0, "help": "draws the row that is left out of an odd number"},
    }
    options = _asked(choose, arguments, more)
    records, _, read = _read_pool(options, options["seed"])
    if options["html"] is not None and len(records) > _MOST_IN_REPORT:
        most = f"a report's pool has at most {_MOST_IN_REPORT:,} records; without --html"
        raise ValueError(f"{len(records):,} records: {most} all of them are taken")
    clip = options["clip"]
    if clip is None:
        clip = up(float(np.linalg.norm(records, axis=1).max()), 3) or 1.0
    settings = {name: options[name] for name in ("mechanism", "target", "delta")} | {"clip": clip}
    answer = chosen(records, **settings)
    if options["clip"] is None:
        answer = replace(answer, notes=(*answer.notes, _LOOKED))
    numbers = {"read": read, **asdict(answer), "clip": clip}
    output.tell(options, answer, numbers, lambda pictures: pictures.pool_panel(records, **settings), read)


def runs(arguments: Arguments = None) -> None:
    """Hand over to the studies, which are no part of what is installed."""
    place = Path(__file__).parents[2]
    if not (place / "studies" / "run.py").is_file():
        raise RuntimeError("what makes the stored runs is the folder studies/ of the repository, not here")
    sys.path.insert(0, str(place))
    import_module("studies.run").main(arguments)
