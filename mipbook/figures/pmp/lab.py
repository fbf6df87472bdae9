"""Choose your epsilon: what the target costs on a pool, and what is promised for it."""

import math
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

import mipbook.figures.kit as k
from explorable.tables import read_columns
from mipbook.choose import choice_curve
from mipbook.choose import examples as stored
from mipbook.choose.choice import POOL_ROLES
from mipbook.figures.uploads import even_records, repeats

EXAMPLE_POOLS = stored.EXAMPLES
_MECHANISMS = {"gaussian mean": "gaussian", "exponential choice": "exponential"}
# No epsilon beyond these is drawn.
_ENDS = 1e-6, 1e100
# How reports in plain letters spell the symbols.
_SYMBOLS = {"epsilon": "ε", "eps~": "ε̃", "eps": "ε", "delta": "δ", "sigma": "σ"}
_NAMED = {"exact": k.exact, "bound": k.at_most, "estimate": k.about, "approximation": k.approximate}
# The examples' axes stand still, in powers of ten.
_ACROSS, _UP = (-2.0, 2.0), (-2.5, 2.0)


@k.few
def _read(file):
    """Return the pool, and what was read of an own file."""
    if not isinstance(file, k.UploadedFile):
        return stored.example_pool(file), ""
    reading = read_columns(file.text, POOL_ROLES, file.columns)
    reading.check_records(2, 2000)
    records, left = even_records(reading, reading.numbers("columns"), 92)
    return records, reading.say(left, repeats(records))


@k.few
def _chosen(file, mechanism, target, clip, delta):
    """Return the answer, and the curve around it."""
    table, _ = _read(file)
    if not isinstance(file, k.UploadedFile):
        answer = stored.example_choice(file, mechanism, target, clip, delta)
        curve = stored.example_curve(file, mechanism, clip, delta)
    else:
        answer, curve = stored.chosen(table, mechanism, target, clip, delta), None
    objects = stored.axis_objects(table) if mechanism == "exponential" else None
    return answer, curve or choice_curve(table, answer, clip, objects)


def _table(answer):
    """Return the whole answer, what it does not promise among it."""
    limits = "a second release, side knowledge, records outside the pool"
    rows = [*answer.rows(), *(("note", note) for note in answer.notes), ("not promised", limits)]
    for spelt, symbol in _SYMBOLS.items():
        rows = [(name.replace(spelt, symbol), value) for name, value in rows]
    return [["quantity", "value"], *map(list, rows)]


@k.figure
def choose_lab(
    file: Annotated[
        str | k.UploadedFile, k.File(EXAMPLE_POOLS, roles=POOL_ROLES, label="Pool")
    ] = EXAMPLE_POOLS[0],
    mechanism: Annotated[str, k.Choice(_MECHANISMS, label="Mechanism")] = "gaussian",
    target: Annotated[float, k.Stops(stored.TARGETS, label="Target for ε̃")] = 0.1,
    clip: Annotated[float, k.Stops(stored.CLIPS, label="Clip threshold, C")] = 5.0,
    delta: Annotated[float, k.Stops(stored.DELTAS, label="δ")] = 1e-3,
):
    """Draw how eps~ depends on epsilon on a pool, and what meets the target.

    A file of one's own holds 2 to 2,000 records; of an odd number one, drawn at random, is left
    out, and equal ones count as different persons.  The exponential mechanism chooses the
    nearest signed coordinate axis.

    References
    ----------
    PMP paper, section on the Gaussian mechanism, "Our approach", and its conclusion.

    Examples
    --------
    >>> choose_lab().layout.meta["table"][0]
    ['quantity', 'value']
    """
    own = isinstance(file, k.UploadedFile)
    # The exponential mechanism has no delta; one entry of the cache then serves all of them.
    answer, curve = _chosen(file, mechanism, target, clip, delta if mechanism == "gaussian" else 0.0)
    epsilon, chosen = np.clip(curve.epsilon, *_ENDS), float(np.clip(answer.epsilon, *_ENDS))
    least, most = float(epsilon.min()), float(epsilon.max())
    across = (math.log10(least) - 0.05, math.log10(most) + 0.05) if own else _ACROSS
    drawn = (
        ("ε itself", epsilon, k.LEVEL.with_symbol("line-ns")),
        (f"ε(X), all others known ({curve.kinds[2]})", curve.known, k.DP),
        (f"ε̃, certain ({curve.kinds[0]})", curve.certain, k.PMP.with_symbol("circle")),
        (f"ε̃, likely ({curve.kinds[1]})", curve.likely, k.PMP.estimate().with_symbol("square")),
    )
    said = "at ε = %{x:.3g}"
    traces = [
        k.curve(name, epsilon, np.clip(y, *_ENDS), look, most=9, hover=f"{said}, {name}: %{{y:.3g}}")
        for name, y, look in drawn
    ]
    ends = [least, most] if own else [10**end for end in _ACROSS]
    x, y = (None, None) if own else (epsilon, curve.certain)
    moving: dict[str, Any] = {"moving_axes": "a pool of the reader's own has its own scale"} if own else {}
    noise = " and σ = {sigma}" if answer.mechanism == "gaussian" else ""
    return k.part(
        *traces,
        k.level("target", ends, target, replace(k.READING, dash="dashdot", width=1.5)),
        k.reading([chosen], [answer.certificate.value], "chosen", showlegend=True),
        x=k.axis("ε of the mechanism", log=True, range=list(across)),
        y=k.axis("privacy", log=True, **({} if own else {"range": list(_UP)})),
        height=430,
        table=_table(answer),
        read=_read(file)[1],
        probe=[name for name, *_ in drawn[1:]],
        grab=k.drag("target", x, y, "y", at=chosen),
        headline="use ε = {use} for ε̃ ≤ {target}",
        sentence=f"Use ε = {{epsilon}}{noise} (exact, rounded to the safe side). Then ε̃ is at most "
        "{certain} ({certainty}), likely {likely} ({likely_kind}), and the best practical attacker right at "
        "most {right} of the time (bound). Clipping shortens {clipped} of {records} records.",
        alt="Log-log curves against epsilon from {least} to {most}: epsilon itself, below it eps(X), below "
        "that the certain and the likely eps~. They cross the target {target} at epsilon = {crossing}, "
        "marked by a diamond.",
        epsilon=k.at_least(answer.epsilon, digits=4),
        sigma=k.at_most(answer.sigma, digits=4) if noise else "",
        certain=k.at_most(answer.certificate.value, digits=4),
        certainty=answer.certainty,
        likely=_NAMED[answer.likely.kind](answer.likely.value),
        likely_kind=answer.likely.kind,
        right=k.at_most(answer.success, k.percent, 4),
        clipped=k.exact(answer.clipped, "d"),
        records=k.exact(answer.records, "d"),
        use=k.at_least(answer.epsilon),
        target=target,
        crossing=answer.epsilon,
        least=least,
        most=most,
        **moving,
    )
