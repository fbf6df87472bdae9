"""Noise against eta for ten numbers of the reader's own and any of five queries."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable.tables import Role, read_columns
from mipbook import mip
from mipbook.figures.mip.promises import promise
from mipbook.figures.uploads import even_records

EXAMPLE_NUMBERS = {
    "ranks": tuple(float(i) for i in range(10)),
    "incomes": (31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0),
    "two camps": (0.0, 0.1, 0.2, 0.3, 0.4, 9.6, 9.7, 9.8, 9.9, 10.0),
}
NUMBER_ROLES = (Role("value", "Numbers", "is used", "to use", otherwise="place"),)
_FILE = k.File(EXAMPLE_NUMBERS, roles=NUMBER_ROLES, label="Numbers")
_QUERIES = {
    "mean": np.mean,
    "median": np.median,
    "maximum": np.max,
    "variance": np.var,
    "one over the sum": lambda halves, axis: 1 / halves.sum(axis=axis),
}
_PROMISES = promise(0.01, 0.45)
_DRAWN = np.array([0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45])
_ROUTES = {
    "published (bound)": k.PUBLISHED,
    "corrected, average sensitivity (bound)": k.MIP.bound(),
    "smallest sufficient (exact)": k.MIP,
    "through DP (bound)": k.DP,
}


@k.few
def _read(numbers):
    """Return the numbers, and what was read of an own file."""
    if not isinstance(numbers, k.UploadedFile):
        return EXAMPLE_NUMBERS[numbers], ""
    reading = read_columns(numbers.text, NUMBER_ROLES, numbers.columns)
    reading.check_records(4, 14)
    values, left = even_records(reading, reading.numbers("value")[:, 0], 85)
    return tuple(values.tolist()), reading.say(left)


@k.few
def _query(values, query):
    """Return the answers, the halves, and the average and the largest change of a swap."""
    members = mip.subsets(len(values))
    halves = np.stack([np.array(values)[row] for row in members])
    if query == "one over the sum" and np.any(halves.sum(axis=1) == 0):
        raise ValueError("numbers: some half sums to 0, and one over it is infinite")
    answers = _QUERIES[query](halves, axis=1)
    average = float(mip.average_sensitivity(answers, members).max())
    return answers, members, average, mip.largest_sensitivity(answers, members)


@k.few
def _scales(values, query, eta):
    """Return the published, corrected, exact and DP scales."""
    answers, members, average, largest = _query(values, query)
    return (
        float(mip.noise_scale(eta, M=2, as_published=True)) * float(answers.std()),
        float(mip.scale_from_distance(average, eta)),
        mip.minimal_laplace_scale(answers, members, eta),
        float(mip.laplace_dp_scale(eta, largest)),
    )


def _routes(numbers, query):
    """Return what each route asks for, along all of eta."""
    values, read = _read(numbers)
    curves = np.array([_scales(values, query, float(eta)) for eta in _DRAWN]).T
    seen = np.log10(curves[curves > 0])
    ends = [float(np.floor(seen.min())), float(np.ceil(seen.max()))] if seen.size else [-1.0, 1.0]
    hover, names = "η = %{x}: a scale of %{y:.3g}", list(_ROUTES)
    return k.part(
        [
            k.curve(name, _DRAWN, scale, look, marked=True, hover=hover)
            for (name, look), scale in zip(_ROUTES.items(), curves, strict=True)
        ],
        x=k.axis("η, the edge over a coin toss", range=[0, 0.47]),
        y=k.axis("Laplace scale of the noise", log=True, range=ends),
        height=400,
        probe=names,
        ghost=names[2:3],
        grab=k.drag("eta", _PROMISES.stops, mip.laplace_dp_scale(_PROMISES.stops, _query(values, query)[3])),
        moving_axes="numbers and queries have units of their own",
        read=read,
        people=len(values),
    )


def _at_eta(numbers, query, eta):
    """Return what each route asks for at the reader's eta."""
    scales = _scales(_read(numbers)[0], query, eta)
    published, corrected, exact, dp = scales
    return k.part(
        k.reading([eta] * 4, scales, "at your η"),
        headline="a scale of {exact} is enough",
        sentence=f"For the {query} of a random half of these {{people}} numbers at η = {{eta}}, a Laplace "
        "scale of {exact} is enough and no smaller one is (exact). The corrected bound needs {corrected}, DP "
        "needs {dp}, the published bound {published} (bounds). Neighbours: replace one "
        "record.",
        alt="Noise scale on a logarithmic axis against eta. At eta = {eta}: published {published}, DP {dp}, "
        "corrected {corrected}, smallest sufficient {exact}. Where the exact need is 0, its curve leaves "
        "the picture.",
        **k.words(eta=eta, exact=exact),
        **k.words(k.at_most, published=published, corrected=corrected, dp=dp),
    )


@k.figure
def noise_lab(
    numbers: Annotated[str | k.UploadedFile, _FILE] = "ranks",
    query: Annotated[str, k.Choice(list(_QUERIES), label="Query")] = "mean",
    eta: Annotated[float, _PROMISES] = 0.1,
):
    """Draw the Laplace scale that four routes ask for, on the reader's own numbers.

    A file holds 4 to 14 numbers; of an odd number one, drawn at random, is left out.

    Notes
    -----
    MIP paper, Theorem 9 and Corollary 14, with the corrected constant; replace-one
    neighbours among the halves.

    Examples
    --------
    >>> len(noise_lab("ranks").data)
    5
    """
    return _routes, _at_eta
