"""The last digits give it away: the same noise, added in floating point and on a grid."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game
from mipbook.figures.mip.promises import promise
from mipbook.release.attack import digit_games

_GAMES, _SHOWN = 4000, 60
# The mean of half of nineteen 0s and a 1, without the 1 and with it.
_OUT, _IN = 0.0, 0.1
_GRID = "public grid"
_ARITHMETIC = k.Choice(["floating point", _GRID], label="Noise is added in / on")
_READ = ["the value", "all digits"]


@k.cache
def _games(arithmetic, eta):
    rng = np.random.default_rng(90)
    return digit_games(_OUT, _IN, eta, _GAMES, rng, on_grid=arithmetic == _GRID)


def _bar(place, right, look, pattern=""):
    """Return how often an attack is right, from the coin's one half up, and that in words."""
    name, value = _READ[place], float(right.mean())
    low, high = (float(end) for end in game.clopper_pearson(int(right.sum()), right.size))
    said = k.words(k.about, k.percent, at=value, low=low, high=high)
    more = {"error_y": k.error_bars([value], [low], [high]), "showlegend": False, "lower": True}
    more["hover"] = f"who reads {name} is right {said['at']} of the time"
    bar = k.bars(f"by {name} (estimate, 95%)", [place], [value - 0.5], look, pattern, base=0.5, **more)
    return bar, k.told("{at} ({low} to {high})", **said), said["at"], low


def _drawn(arithmetic, eta):
    played = _games(arithmetic, eta)
    member, certain = played.member, np.isinf(played.edge)
    value_bar, by_value, *_ = _bar(0, (played.released > (_OUT + _IN) / 2) == member, k.SERIES[0])
    digits_bar, by_digits, found, low = _bar(1, (played.edge > 0) == member, k.SERIES[1], "/")
    broken = low > 0.5 + eta
    verdict = "breaks the promise" if broken else "gains nothing over the value alone"
    # Some releases, those with the record above those without.
    x, proof = played.released[:_SHOWN], certain[:_SHOWN]
    y = np.where(member[:_SHOWN], 1.0, 0.0) + 0.25 * np.sin(2.4 * np.arange(_SHOWN))
    both, cross = k.SERIES[0].with_symbol("circle-open"), k.ATTACK.with_symbol("x-thin-open")
    return k.part(
        k.points("digits that both can give", x[~proof], y[~proof], both, size=9),
        k.points("digits taken for proof", x[proof], y[proof], cross, size=9),
        value_bar,
        digits_bar,
        k.level("promised, 1/2 + η (bound)", [-0.6, 1.6], 0.5 + eta, k.MIP.bound(), lower=True),
        x=k.axis("released mean", range=[-1.3, 1.4]),
        y=k.axis("the 1 was", range=[-0.5, 1.5], tickvals=[0, 1], ticktext=["out", "in"]),
        x2=k.axis("who reads", range=[-0.6, 1.6], tickvals=[0, 1], ticktext=_READ),
        y2=k.axis("how often right", range=[0.48, 1.0]),
        rows=(0.5, 0.2),
        height=400,
        beside=0.58,
        headline="{found} right, {promised} promised",
        sentence="The promise: right at most {promised} of the time (bound). An attacker who reads all the "
        "digits is right {by_digits} of the time, one who looks at the value only {by_value} (estimates, "
        "95%). Reading the digits "
        f"{verdict}; what it takes for proof is right {{right}} of the time.",
        alt="{shown} releases, those with the record over those without, spread alike; crosses mark "
        "{crosses} whose digits the attack holds for proof. Beside them two bars of accuracy: the value's "
        f"ends at the promised line, {{promised}}, the digits' {'far above' if broken else 'at or below'} "
        "it.",
        **k.words(found=found, by_digits=by_digits, by_value=by_value, shown=_SHOWN),
        promised=k.at_most(round(0.5 + eta, 12), k.percent),
        right=k.about(((played.edge > 0) == member)[certain].mean(), k.percent),
        crosses=int(proof.sum()),
    )


@k.figure
def last_digits(
    arithmetic: Annotated[str, _ARITHMETIC] = "floating point",
    eta: Annotated[float, promise(0.01, 0.3)] = 0.05,
):
    """Draw releases of a mean with and without one record, and two attacks on them.

    The data are nineteen 0s and a 1.  The noise keeps the promise in real arithmetic.

    References
    ----------
    I. Mironov, "On Significance of the Least Significant Bits for Differential Privacy",
    2012, on Gaussian noise and the average attack.

    Examples
    --------
    >>> "breaks the promise" in last_digits().layout.meta["sentence"]
    True
    """
    return _drawn
