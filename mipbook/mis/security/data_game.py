"""The game behind the accuracy, played: draw data, learn, hand over a test point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorable import validate
from mipbook.mis.security.model import FiniteModel
from mipbook.mis.security.outputs import released, same_outputs

__all__ = ["Played", "play"]

_MOST = 20_000_000


class Played(NamedTuple):
    """What happened in many games.

    Attributes
    ----------
    output : ndarray of int
        What the learner released, as an index into the model's outputs.
    point : ndarray of int
        The test point's kind.
    member : ndarray of bool
        Whether the test point is a member.
    """

    output: NDArray[np.int64]
    point: NDArray[np.int64]
    member: NDArray[np.bool_]

    def right(self, attack: ArrayLike) -> NDArray[np.bool_]:
        """Return in which games an attack, booleans of shape (kinds, outputs), is right."""
        answers = validate.flags("attack", attack, ndim=2)
        try:
            return np.asarray(answers[self.point, self.output] == self.member)
        except IndexError:
            allowed = "of shape (kinds, outputs), as the model that was played has"
            validate.refuse("attack", f"of shape {answers.shape}", allowed)


def play(model: FiniteModel, games: int, rng: np.random.Generator, nu: float = 0.5) -> Played:
    """Play the membership game of the paper's Section 2, step by step.

    Parameters
    ----------
    model : FiniteModel
        A learner with the distribution of its records.  Only the learner, ``p`` and ``n`` are used:
        nothing of what was enumerated.
    games : int
        How many, at least 1, of 20 million records in all.

    Notes
    -----
    Limits paper, Definition 1.  In each game a data set is drawn, the learner runs, and the
    test point is a fresh draw with chance ``nu``, a uniform member of the data set otherwise.

    Examples
    --------
    >>> from mipbook import mis
    >>> model = mis.finite_model(lambda counts: counts, [0.5, 0.5], 1)
    >>> seen = mis.play(model, 1000, np.random.default_rng(0))
    >>> bool(seen.right(model.best_attack())[seen.member].all())
    True
    """
    if not isinstance(model, FiniteModel):
        validate.refuse("model", model, "what finite_model returned")
    games = validate.integer("games", games, 1, _MOST // model.n)
    rng = validate.generator("rng", rng)
    nu = validate.number("nu", nu, 0.0, 1.0, open_low=True, open_high=True)
    kinds, every = model.p.size, np.arange(games)
    data = rng.choice(kinds, size=(games, model.n), p=model.p / model.p.sum())
    counts = np.stack([(data == k).sum(axis=1) for k in range(kinds)], axis=1)
    seen, which = np.unique(data if model.ordered else counts, axis=0, return_inverse=True)
    answers = [released(model.learner, tuple(sample.tolist())) for sample in seen]
    same = same_outputs([*model.outputs, *(output for row in answers for output, _ in row)])
    place = {same(output): i for i, output in enumerate(model.outputs)}
    table = np.zeros((len(seen), len(place)))
    for row, answer in zip(table, answers, strict=True):
        for output, share in answer:
            if same(output) not in place:
                validate.refuse("model", output, "a model whose learner tells the same twice")
            row[place[same(output)]] += share
    steps = np.cumsum(table, axis=1)
    # The last step is 1 up to rounding, and a uniform draw must fall below it.
    steps /= steps[:, -1:]
    output = (rng.random(games)[:, None] >= steps[which.ravel()]).sum(axis=1)
    fresh = rng.random(games) < nu
    chosen = data[every, rng.integers(0, model.n, games)]
    point = np.where(fresh, rng.choice(kinds, size=games, p=model.p / model.p.sum()), chosen)
    return Played(output, point, ~fresh)
