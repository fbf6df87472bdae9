"""The data set of Proposition 11, its halves, and the one half that gives it away."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip

_LAST = 40
_LEFT_OUT = k.OUT.with_symbol("circle-open")
_WHICH = k.Slider(0, _LAST, 20, step=1, label="Which half, the fatal one last", play=True)


@k.cache
def _halves(n):
    """Return all halves by rising answer, their answers, and a few of them as stops."""
    outputs, members = mip.reciprocal_outputs(n)
    order = np.argsort(outputs, kind="stable")
    return members[order], outputs[order], np.rint(np.linspace(0, len(order) - 1, _LAST + 1)).astype(int)


def _answers(n):
    """Return the histogram of all answers, and the largest change of one swap."""
    _, answers, stops = _halves(n)
    fatal, change = answers[-1], mip.reciprocal_sensitivity(n)
    edges = np.arange(-(n - 1), n // 2 + 1) + 1e-9
    heights, _ = np.histogram(np.log2(answers), bins=edges)
    name, hover = "halves with such an answer (exact)", "about this is the answer of %{y} halves"
    swap, ends = "largest change by one swap (exact)", [np.log2(fatal - change), np.log2(fatal)]
    cap = {"mode": "lines+markers", "marker": {"symbol": "line-ns-open", "size": 12, "color": k.OUT.colour}}
    ticks = list(range(-(n - 1), n // 2 + 1, 2))
    across = {"tickvals": ticks, "range": [-(n - 0.5), n // 2 + 0.5]}
    across["ticktext"] = [f"1/{2**-t:,}" if t < 0 else f"{2**t}" for t in ticks]
    bare = {"showticklabels": False, "ticks": "", "showgrid": False}
    return k.part(
        k.bars(name, (edges[:-1] + edges[1:]) / 2, heights, k.LEVEL, hover=hover),
        k.level(swap, ends, 2.2, k.OUT, **cap),
        x=k.axis("the query's answer, 1 / sum; drag it", **across),
        y=k.axis("number of halves", log=True, range=[-0.3, np.log10(answers.size) + 0.1]),
        x2=k.axis("the records", range=[0.4 - n // 2, n - 0.4], **bare),
        y2={"visible": False, "range": [-1, 2]},
        rows=(0.74, 0.26),
        height=440,
        bargap=0.08,
        grab=k.drag("half", np.log2(answers[stops]), np.ones(_LAST + 1)),
        moving_axes="another n is another data set, with answers and records of its own",
        **k.words(halves=answers.size, largest=fatal),
        change=k.exact(change, digits=4),
    )


def _half(n, half):
    """Return the records of one half, and where its answer lies."""
    members, answers, stops = _halves(n)
    index = int(stops[round(half)])
    chosen, answer = members[index], answers[index]
    which = "the fatal one"
    if index < answers.size - 1:
        which = k.told("number {rank} of {halves} by its answer", rank=index + 1, halves=answers.size)
    records = mip.reciprocal_data_set(n)
    # The axis grows by one a doubling, on both sides of 0.
    places = np.sign(records) * np.log2(1 + np.abs(records))
    labels = np.array([f"{1 << i:,}" for i in range(n - 1)] + ["a"])
    dots = {"size": 15, "mode": "markers+text", "textposition": "top center"}
    dots |= {"textfont": {"color": k.READING.colour}, "hover": "record %{customdata}", "lower": True}
    traces = []
    for name, some, look in (("in the half", chosen, k.IN), ("left out", ~chosen, _LEFT_OUT)):
        told = {"text": labels[some].tolist(), "customdata": [k.say(float(v), 4) for v in records[some]]}
        traces.append(k.points(name, places[some], np.zeros(some.sum()), look, **told, **dots))
    return k.part(
        k.points("this half's answer (exact)", np.log2(answer), 1.0, k.READING, size=15),
        traces,
        headline="the answer is {short}",
        sentence="This half, {which}, sums to {sum}, so the answer is {output} (exact). One swapped record "
        "changes an answer by up to {change}: DP must hide that, for one half of {halves}.",
        alt="Above, a histogram of the answers of all {halves} halves; nearly all lie far below 1, one "
        "stands alone at {largest}, and a diamond marks {short}. Below, the {n} records on a doubling axis, "
        "{half} of them filled.",
        **k.words(which=which, short=answer, n=n, half=n // 2),
        sum=k.exact(1 / answer, digits=4),
        output=k.exact(answer, digits=4),
    )


@k.figure
def fatal_subset(
    n: Annotated[int, k.Choice([6, 8, 10, 12], label="Records, n")] = 8, half: Annotated[int, _WHICH] = 20
):
    """Draw the records, one half, and where its output lies among the outputs of all halves.

    The stops go through the halves by rising answer, in equal steps.

    Notes
    -----
    MIP paper, Proposition 11; RIP paper, Proposition 9.

    Examples
    --------
    >>> "the fatal one" in fatal_subset(8, 40).layout.meta["sentence"]
    True
    """
    return _answers, _half
