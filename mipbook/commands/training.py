"""The command for a run of DP-SGD: five numbers in, an answer out."""

from __future__ import annotations

from typing import Any

from explorable import validate
from mipbook.commands import output
from mipbook.commands.answers import Arguments, _asked, _Options

_MOST_RECORDS = 10**12


def dpsgd(arguments: Arguments = None) -> None:
    """Say what DP-SGD leaks: ``python -m mipbook dpsgd --records 60000 --batch 256 --epochs 60 --noise 1.1``.

    Give --records and --batch, or --sampling; --epochs (with both), or --steps; --noise,
    --target-epsilon or both.  Each record is in each batch by a coin toss of its own (Poisson
    sampling), as Opacus and TensorFlow Privacy account for it.
    """
    number: dict[str, Any] = {"type": float, "metavar": "NUMBER"}
    count: dict[str, Any] = {"type": int, "metavar": "NUMBER"}
    settings: _Options = {
        "--records": {**count, "help": "how many records there are"},
        "--batch": {**count, "help": "records in a batch, on average"},
        "--epochs": {**number, "help": "how often each record is drawn, on average"},
        "--sampling": {**number, "help": "the chance of each record to be in a batch"},
        "--steps": {**count, "help": "how many batches are drawn"},
        "--noise": {**number, "help": "noise multiplier: its standard deviation over the clip"},
        "--delta": {**number, "default": 1e-5, "help": "at which epsilon is told (1e-5)"},
        "--target-epsilon": {**number, "help": "find the noise that keeps this epsilon"},
        "--neighbours": {"choices": ["add-remove", "replace"], "help": "one kind alone; else both"},
        "--json": {"action": "store_true", "help": "print the numbers for a program"},
    }
    options = _asked(dpsgd, arguments, settings, reports=False)
    rate, steps = _schedule(options)
    if options["noise"] is None and options["target_epsilon"] is None:
        validate.refuse("--noise", None, "given, or --target-epsilon")
    for name, low, high in (("noise", 0.1, 1000.0), ("delta", 1e-10, 0.5), ("target_epsilon", 1e-3, 500.0)):
        if options[name] is not None:
            validate.number(f"--{name.replace('_', '-')}", options[name], low, high)
    from mipbook.dpsgd.run import account
    from mipbook.dpsgd.step import MOST_LOSS, Training

    if rate < 1e-6:
        validate.refuse("--batch", options["batch"], "at least a millionth of --records")
    if steps > 10**6:
        told = "steps" if options["steps"] is not None else "epochs"
        validate.refuse(
            f"--{told}", options[told], f"so few that there are 1,000,000 steps at most, not {steps:,}"
        )
    if options["noise"] is not None and Training(rate, options["noise"], steps).lost > MOST_LOSS:
        validate.refuse("--noise", options["noise"], f"larger: after {steps:,} steps it promises nothing")
    report = account(
        sampling_rate=rate,
        steps=validate.integer("--steps", steps, 1),
        noise_multiplier=options["noise"],
        delta=options["delta"],
        target_epsilon=options["target_epsilon"],
        neighbours=options["neighbours"],
    )
    output.tell({**options, "html": None}, report, report.numbers() if options["json"] else {}, None)


def _schedule(options: dict[str, Any]) -> tuple[float, int]:
    """Return the sampling rate and the steps, from what was given."""
    from mipbook.dpsgd.run import schedule

    sized = [options[name] is not None for name in ("records", "batch")]
    if any(sized) != all(sized) or all(sized) == (options["sampling"] is not None):
        validate.refuse("options", _given(options), "--records with --batch, or --sampling without them")
    if (options["epochs"] is None) == (options["steps"] is None):
        validate.refuse("options", _given(options), "with either --epochs or --steps")
    epochs, steps = options["epochs"], options["steps"]
    if epochs is not None:
        validate.number("--epochs", epochs, 0.0, 1e12, open_low=True)
    if options["sampling"] is not None:
        rate = validate.number("--sampling", options["sampling"], 1e-6, 1.0)
        # One pass is as many steps as batches of one record in expectation: 1 over the rate.
        return rate, steps if epochs is None else schedule(1, rate, epochs)[1]
    records = validate.integer("--records", options["records"], 1, _MOST_RECORDS)
    batch = validate.integer("--batch", options["batch"], 1, records)
    rate, needed = schedule(records, batch, epochs or 1.0)
    return rate, needed if steps is None else steps


def _given(options: dict[str, Any]) -> list[str]:
    names = ("records", "batch", "epochs", "sampling", "steps")
    return [f"--{name}" for name in names if options[name] is not None]
