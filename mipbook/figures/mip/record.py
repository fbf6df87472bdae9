"""What the MIP paper's Figure 1 and Algorithm 1 hold still, in the reader's hand."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip

_RECORDS = np.arange(12.0) ** 2
_RUNS = 60
_CONSTANTS = {"7.5": 7.5, "6.16": 6.16, "sharp": None}
_BUDGETS = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 80]
_BUDGETS += [100, 120, 150, 200, 250, 300, 400, 500]


@k.cache
def _fits():
    """Return each run's fits on halves of its training half, and the fit on every half."""
    rng, members = np.random.default_rng(34), mip.subsets(_RECORDS.size)
    drawn = members[rng.integers(0, len(members), _RUNS)]
    runs = [mip.fit_on_halves(_RECORDS[each], np.mean, _BUDGETS[-1], rng).ravel() for each in drawn]
    return np.stack(runs), members @ _RECORDS / (_RECORDS.size // 2), members


@k.cache
def _estimates(M):
    """Return low, middle and high estimates of sigma over the runs at each budget, and the right one."""
    runs, means, _ = _fits()
    found = [mip.spread_of(runs[:, :budget].T, M) for budget in _BUDGETS]
    return np.percentile(found, (5, 50, 95), axis=1), float(mip.spread_of(means[:, None], M)[0])


@k.cache
def _least(eta):
    _, means, members = _fits()
    return mip.minimal_laplace_scale(means, members, eta)


@k.figure
def budget_noise(
    B: Annotated[int, k.Choice(_BUDGETS, label="Fits, B")] = 30,
    eta: Annotated[float, k.promise(0.01, 0.25)] = 0.1,
    constant: Annotated[str, k.Choice(list(_CONSTANTS), label="Constant")] = "6.16",
    M: Annotated[int, k.Choice([2, 3, 4], label="Moment, M")] = 2,
):
    """Draw the noise of Algorithm 1 as printed, against the number of fits that set it.

    The query is the mean of half of twelve squares; sigma is estimated in each of sixty runs.

    Notes
    -----
    MIP paper, Algorithm 1 (6.16) and Theorem 9 (7.5); RIP paper, Algorithm 1 and Theorem 7 (7.5).

    Examples
    --------
    >>> [trace.name for trace in budget_noise().data][1:3]
    ['with the right σ (bound)', 'smallest sufficient (exact)']
    """
    printed, (every, right), ends = _CONSTANTS[constant], _estimates(M), [_BUDGETS[0], _BUDGETS[-1]]
    factor = mip.noise_scale(eta)
    if printed is not None:
        factor = mip.noise_scale(eta * 6.16 / printed, M=M, as_published=True)
    low, _, high = every * factor
    found = every[:, _BUDGETS.index(B)]
    least, middle, most = found * factor
    return k.part(
        k.band("9 of 10 runs (estimate)", _BUDGETS, low, high, k.PUBLISHED),
        k.level("with the right σ (bound)", ends, right * factor, k.MIP.bound()),
        k.level("smallest sufficient (exact)", ends, _least(eta), k.MIP),
        k.reading(B, [least, middle, most], "at your budget"),
        x=k.axis("fits, B", log=True, range=[0.25, 2.75]),
        y=k.axis("Laplace scale of the noise", log=True, range=[0, 8]),
        height=400,
        headline="{over} the noise that is enough",
        sentence="Of {runs} runs with B = {B} fits, 9 of 10 put σ between {low} and {high} times the right "
        "one (estimates; the fits are of quarters, not halves), and the noise between {least} and "
        "{most}. The right σ would need {right} (bound). Noise of {need} is enough (exact).",
        alt="Noise scale against the number of fits on logarithmic axes, with the constant {constant}. A "
        "band of the runs narrows as B grows and ends above the level {right} of the right sigma; the "
        "smallest sufficient scale is {need}.",
        constant=k.told("{printed}", printed=printed) if printed else constant,
        **k.words(B=B, runs=_RUNS, need=_least(eta), right=k.at_most(right * factor)),
        **k.words(k.about, low=found[0] / right, high=found[2] / right, least=least, most=most),
        over=k.about(middle / _least(eta), k.times),
    )


# The sizes that the papers draw.
DRAWN = (36, 40, 44, 48)
_OURS, _PUBLISHED = "DP, your n (exact)", "MIP, published constant (bound)"
_ETA = 0.25 - 0.249 * np.cos(np.linspace(0, np.pi, 61))
_PROMISES = k.promise(0.001, 0.499)
# Up to 60 as the papers speak of them, then to what they call typical of machine learning, and beyond.
_SIZES = [*range(4, 61, 4), 80, 100, 150, 200, 300, 500, 1000, 2000, 5000, 10_000, 50_000]
# The moment, and what stands for its spread: the exact value, or a bound on it.
_SPREADS = {"M = 2, σ exact": (2, None), "M = 2, σ = √5": (2, 5**0.5), "M = 2, σ = 5": (2, 5.0)}
_SPREADS |= {f"M = {M}, σ exact": (M, None) for M in (3, 4, 8)}
# The decimal logarithm of the largest scale in the picture, and of the largest number of this machine.
_TOP, _LARGEST = 10, 300


def _dp_log(n, eta):
    """Return the decimal logarithm of the noise through DP."""
    return mip.reciprocal_log_sensitivity(n) / np.log(10) + np.log10(mip.laplace_dp_scale(eta, 1.0))


def _mip_log(n, spread, eta):
    """Return the decimal logarithm of the published MIP noise."""
    M, given = _SPREADS[spread]
    size = mip.reciprocal_log_spread(n, M) if given is None else np.log(given)
    return size / np.log(10) + np.log10(mip.noise_scale(eta, M=M, as_published=True))


def _power(log, kind):
    """Say a number by its decimal logarithm, whatever its size."""
    digits = k.told("{digits} digits", digits=int(log) + 1)
    return kind(10.0**log) if log < _LARGEST else digits


def _line(name, logs, look, **more):
    shown = np.clip(logs, -_LARGEST, _LARGEST)
    return k.curve(name, _ETA, k.kept(10.0**shown, logs <= _TOP), look, **more)


def _routes(n, spread):
    """Return the lines of DP that the papers draw, and both routes at the reader's size along all of eta."""
    needs, hover = "η = %{{x:.3f}}: DP needs %{{y:.3g}} on {} records", "η = %{x:.3f}: a scale of %{y:.3g}"
    noise = 10.0 ** np.minimum(_mip_log(n, spread, np.array(_PROMISES.stops)), _LARGEST)
    return k.part(
        [
            _line(f"DP, n = {n} (exact)", _dp_log(n, _ETA), k.LEVEL, hover=needs.format(n), showlegend=False)
            for n in DRAWN
        ],
        _line(_OURS, _dp_log(n, _ETA), k.DP, hover=hover),
        _line(_PUBLISHED, _mip_log(n, spread, _ETA), k.PUBLISHED, most=9, hover=hover),
        x=k.axis("η, the edge over a coin toss", range=[0, 0.5]),
        y=k.axis("Laplace scale of the noise", log=True, range=[-1, _TOP], dtick=2),
        height=420,
        probe=[_OURS, _PUBLISHED],
        ghost=[_OURS],
        grab=k.drag("eta", _PROMISES.stops, noise),
    )


def _needs(n, spread, eta):
    """Return what both routes need at the reader's eta."""
    dp, noise = float(_dp_log(n, eta)), float(_mip_log(n, spread, eta))
    moment, (_, _, how) = _SPREADS[spread][0], spread.partition(", ")
    logs = np.array([dp, noise])
    shown = k.kept(10.0 ** np.minimum(logs, _LARGEST), logs <= _TOP)
    gain = dp - noise
    less = k.told("{times} less noise", times=k.exact(10.0**gain, k.times) if gain < _LARGEST else "")
    if gain >= _LARGEST:
        less = k.told("less noise by a factor of {digits} digits", digits=int(gain) + 1)
    elif gain < 0:
        less = k.told("{times} more noise", times=k.exact(10.0**-gain, k.times))
    return k.part(
        k.reading([eta, eta], shown, "at your η"),
        headline="{less}",
        sentence="To promise η = {eta} on {n} records, DP needs a Laplace scale of {dp} (exact{high}), the "
        "published MIP noise for {noise} (bound, with {spread}): {less}.",
        alt="Noise scale on a logarithmic axis against eta from 0 to one half. Four dotted lines are DP "
        "on 36, 40, 44 and 48 records, each four times the one before. At eta = {eta} and n = {n} DP "
        "stands at {dp}{high}, the published MIP noise with {spread} at {noise}.",
        **k.words(eta=eta, n=n, spread=k.told("M = {M}, {how}", M=moment, how=how), less=less),
        **k.words(dp=_power(dp, k.exact), noise=_power(noise, k.at_most)),
        high=", above the picture" if dp > _TOP else "",
    )


@k.figure
def mip_figure_1(
    n: Annotated[int, k.Choice(_SIZES, label="Records, n")] = 36,
    spread: Annotated[str, k.Choice(list(_SPREADS), label="σ in the formula")] = "M = 2, σ exact",
    eta: Annotated[float, _PROMISES] = 0.1,
):
    """Draw the papers' Figure 1: the noise of MIP and of DP for the reciprocal-sum query.

    Notes
    -----
    MIP paper and RIP paper, Figure 1.  Which number stands for sigma the papers leave open.

    Examples
    --------
    >>> mip_figure_1(n=10_000).layout.meta["headline"]
    'less noise by a factor of 1,501 digits'
    """
    return _routes, _needs


def noise_vs_eta_print():
    """Draw the papers' Figure 1 for print: one solid MIP line, a dotted DP line a size.

    Notes
    -----
    MIP paper and RIP paper, Figure 1, with M = 2.  The papers leave open which number
    stands for sigma; the line uses the exact standard deviation, the band reaches to
    the square root of 5 from the papers' proof.

    Examples
    --------
    >>> len(noise_vs_eta_print().axes[0].lines)
    5
    """
    eta = np.linspace(0.005, 0.495, 197)
    published = np.asarray(mip.noise_scale(eta, M=2, as_published=True))
    picture = k.print_figure(figsize=(6.4, 4.2), dpi=160, layout="constrained")
    plane, orange = picture.subplots(), k.PUBLISHED.colour
    low, high = published * mip.reciprocal_absolute_moment(DRAWN[0], 2), published * np.sqrt(5)
    plane.plot(eta, low, label="MIP, any n (bound)", color=orange)
    plane.fill_between(eta, low, high, alpha=0.15, color=orange)
    for n, marker in zip(DRAWN, "osD^", strict=True):
        noise = mip.laplace_dp_scale(eta, mip.reciprocal_sensitivity(n))
        look = {"marker": marker, "markevery": 28, "color": k.DP.colour}
        plane.plot(eta, noise, ":", label=f"DP, n = {n} (exact)", **look)
    plane.set(xlabel="eta, the edge over a coin toss", ylabel="Laplace scale of the noise")
    plane.set(yscale="log", xlim=(0, 0.5))
    plane.legend(frameon=False, fontsize=9)
    plane.grid(alpha=0.3)
    return picture
