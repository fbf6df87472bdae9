"""The words of the API: what an argument means wherever it is not said otherwise.

A docstring describes an argument only where it differs from this.  The pages of the API
fill these in.  Adjacency of data sets is *replace one record*, unless a name says otherwise;
whatever lies outside its range raises a ``ValueError`` that names the argument, its value
and what is allowed, before any work starts.
"""

from __future__ import annotations

__all__ = ["GLOSSARY", "described"]

# By name: the kind of value, and what it is.
GLOSSARY: dict[str, tuple[str, str]] = {
    "clip": ("float", "The clip threshold C: the largest length of a record, in (0, inf)."),
    "confidence": ("float", "The chance, in (0, 1), that what is stated is true, at least."),
    "delta": ("float or array_like", "DP's probability of failure, in [0, 1]."),
    "dimension": ("int", "Coordinates of a record or of an output, at least 1."),
    "epsilon": ("float or array_like", "DP's epsilon, in [0, inf]."),
    "eta": ("float or array_like", "MIP's promise: the edge over a coin toss, in (0, 1/2)."),
    "fpr": ("float or array_like", "False positive rate: the share of others accused, in [0, 1]."),
    "lam": ("float or array_like", "Weight of the members in the attacker's score, in (0, 1)."),
    "losses": (
        "array_like of shape (records, objects)",
        "The loss of each object on each record of the pool; a data set's loss is the mean.",
    ),
    "member": (
        "array_like of bool, shape (datasets,)",
        "Which data sets hold the record in question; of two data sets the second, if not given.",
    ),
    "members": (
        "array_like of bool, shape (datasets, records)",
        "Which records each data set holds, each record in some and not in others; every data "
        "set is equally likely.",
    ),
    "n_jobs": (
        "int, optional",
        "Processes, through joblib: 1 to 1024, or -1 for one a core. "
        "``joblib.parallel_config`` moves them to a cluster; the result does not depend on it.",
    ),
    "nu": ("float or array_like", "Chance that the test point is no member, in (0, 1)."),
    "probabilities": (
        "array_like of shape (datasets, outputs)",
        "One probability vector a data set; a deterministic mechanism has a 1 in each row.",
    ),
    "rng": ("numpy.random.Generator", "The only source of randomness; a seed is refused."),
    "sensitivity": (
        "float or array_like",
        "The largest distance between the outputs on neighbouring data, in (0, inf).",
    ),
    "sigma": (
        "float or array_like",
        "Standard deviation of the noise, in the units of what it is added to, in (0, inf).",
    ),
    "tpr": ("float or array_like", "True positive rate: the share of members found, in [0, 1]."),
    "values": (
        "array_like of shape (2n, dimension) or (2n,)",
        "f(x) for all records of the pool; for a mean, the records divided by n.",
    ),
    "weights": (
        "array_like of shape (datasets,), optional",
        "How likely each data set is; equally likely if not given.",
    ),
}


def described(name: str) -> str:
    """Return the entry of a docstring for an argument of this name.

    Examples
    --------
    >>> print(described("delta"))
    delta : float or array_like
        DP's probability of failure, in [0, 1].
    """
    kind, meaning = GLOSSARY[name]
    return f"{name} : {kind}\n    {meaning}"
