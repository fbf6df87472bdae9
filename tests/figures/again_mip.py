"""The values of the figures of MIP, computed again."""

import math
from functools import cache
from itertools import combinations
from math import comb, log

import numpy as np
from again import Must, about, every, most
from scipy.special import expit
from scipy.stats import gamma, norm

from mipbook import game, mip
from mipbook.figures import kit as k
from mipbook.figures.mip.definition import _LOTS
from mipbook.figures.mip.releases import EXAMPLE_NUMBERS
from mipbook.release.attack import cut_edge, digit_games
from mipbook.release.examples import example_table, example_trial, statistics_of


def _among_patients(n):
    """Return how often the best attacker is right, by sums over her number and over the published mean."""
    own, mean = np.linspace(-8, 8, 641)[:, None], np.linspace(-9, 9, 4001)
    apart = np.abs(norm.pdf(mean) - norm.pdf(mean, own / np.sqrt(n), np.sqrt(1 - 1 / n))).sum(axis=1)
    weight = norm.pdf(own[:, 0])
    return 0.5 + apart * (mean[1] - mean[0]) @ weight / weight.sum() / 4


def blood_pressure(s, distance, n, share):
    grid = np.linspace(-9, 13, 4401)
    patients, others = norm.pdf(grid - distance), norm.pdf(grid)
    apart = np.abs(patients - share * patients - (1 - share) * others).sum() * (grid[1] - grid[0])
    everybody = Must(0.5 + apart / 4, within=1e-5)
    return {"at": distance, "everybody": everybody, "within": Must(_among_patients(n), within=1e-5)}


def dp_to_eta(epsilon, delta):
    eta = (math.expm1(epsilon) + 2 * delta) / (2 * (math.exp(epsilon) + 1))
    return {
        "eta": most(eta),
        "attained": 50 + 100 * eta,
        "start": 50 + 50 * delta,
        "most": most(50 + 100 * eta),
    }


def one_bell(s, n, draw):
    bell, door = np.nanmean(s.xy("the half with the bell"), axis=1), s.xy("the half drawn")[:, :4]
    rings = ((door.min(axis=1) < bell) & (bell < door.max(axis=1))).all()
    assert s.x("drawn").size == s.x("left out").size == rings * n // 2
    halves, silent = comb(n, n // 2), comb(n - 1, n // 2)
    return {"halves": halves, "right": 0.5 + 1 / halves, "sure": 1 if rings else silent / (halves - 1)}


def eta_without_dp(n, p, example):
    halves = comb(n, n // 2)
    bell = example == "a bell for one half"
    least = 1 if bell else {"publish a random record": 2 * p / n, "publish each record": p}[example]
    return {"halves": halves, "eta": 1 / halves if bell else least / 2, "least": least, "level": p / 2}


def fatal_subset(s, times):
    outputs, members = mip.reciprocal_outputs(10)
    scale = mip.reciprocal_sensitivity(10) / log(1.2 / 0.8) / times
    need, bare = mip.minimal_laplace_scale(outputs, members, 0.1), (outputs > scale).sum()
    assert s.x("larger than the noise").size == bare
    days = s.xy("all draws (exact)").T.tolist()
    assert len(set(map(tuple, days))) == outputs.size
    coins = np.array([float(each.replace("\u2212", "-")) for each in s.trace("owned")["text"]])
    boxed = s.x("owned") < s.x("fatal").max()
    assert boxed.sum() == 5
    assert abs(coins[boxed].sum() - 1 / 16) < 0.005
    fatal = days.index(s.xy("the fatal draw")[:, 0].tolist())
    assert "Zoe" in s.trace("all draws (exact)")["customdata"][fatal]
    told = {"draws": outputs.size, "largest": outputs.max(), "bare": bare, "promised": 60}
    right = 50 + 100 * mip.laplace_eta(outputs, members, scale)
    return told | {"right": right, "enough": scale * times / need}


def day_by_day(s, day, under):
    outputs, members = mip.reciprocal_outputs(10)
    order = np.random.default_rng(50).permutation(252)
    outputs, members = outputs[order], members[order]
    dp = mip.reciprocal_sensitivity(10) / log(1.2 / 0.8)
    scale = dp if under == "DP's" else mip.minimal_laplace_scale(outputs, members, 0.1)
    printed = outputs + np.random.default_rng(50).laplace(0, scale, 252)
    likely = np.exp(-np.abs(printed - outputs[:, None]) / scale)
    signed = np.abs(likely.T @ (2 * members - 1)) / likely.sum(axis=0)[:, None]
    sure = np.sort(50 + 50 * signed.max(axis=1))[::-1]
    assert np.isfinite(s.y("really drawn")).sum() == 5
    told = {"surer": 75, "draws": 252, "promised": most(60.0), "day": day}
    return told | {"sure": sure[day - 1], "above": int((sure > 75).sum())}


def four_coins(s, published, person, round):
    divisor = {"the sum": 100, "remainder": 3, "odd or even": 2}[published]
    coins = {"Ben": 1, "Anna": 2, "Finn": 3, "Zoe": 5}
    pairs = [(a, b) for a in coins for b in coins if coins[a] < coins[b]]
    heard = [sum(map(coins.get, pair)) % divisor for pair in pairs]
    right = {}
    for each in coins:
        counts = {}
        for pair, number in zip(pairs, heard, strict=True):
            counts.setdefault(number, [0, 0])[each in pair] += 1
        right[each] = sum(map(max, counts.values())) / 6
    worst, told = max(right.values()), {}
    if divisor < 100:
        # The package's halves go by their names' order, too.
        half = mip.subsets(4)[np.random.default_rng(_LOTS).integers(6, size=24)[round]]
        number = heard[pairs.index(tuple(np.array(list(coins))[half]))]
        there = [person in pair for pair, each in zip(pairs, heard, strict=True) if each == number]
        told = {"why.inside": sum(there), "why.behind": len(there)}
    numbers = sorted(set(heard))
    for side, name in ((True, "the person is in"), (False, "the person is out")):
        # A card has five points and a gap behind it; its middle is its box.
        places = s.x(name)[np.isfinite(s.x(name))].reshape(-1, 5)[:, :2].mean(axis=1)
        fit = [each for pair, each in zip(pairs, heard, strict=True) if (person in pair) == side]
        assert sorted(np.rint(places)) == sorted(map(numbers.index, fit))
    # Everybody's coins lie on three cards; what the clerk leaves on each is what the spy hears.
    look, lie = s.trace("coins on a card")["marker"], np.rint(s.x("coins on a card"))
    rims, left = (
        look["line"]["color"],
        [a == b for a, b in zip(look["color"], look["line"]["color"], strict=True)],
    )
    assert all(rims.count(k.PEOPLE[who]) == 3 * count for who, count in coins.items())
    assert all(np.sum(left & (lie == i)) == heard.count(n) * n for i, n in enumerate(numbers))
    number = s.trace("how often the spy is right")["text"][list(coins).index(person)]
    assert number == f"<b>{100 * right[person]:.3g}</b>"
    values = s.x("the spy says").size
    return {"right": right[person], "most": worst, "eta": worst - 0.5, "values": values, **told}


def last_digits(s, arithmetic, decimals):
    grid, sigma = arithmetic == "public grid", mip.gaussian_sigma_for_mip(0.05, 0.05)
    released, member, _ = digit_games(0.0, 0.1, 0.05, 4000, np.random.default_rng(90), on_grid=grid)
    edge = cut_edge(released, decimals, 0.0, 0.1, sigma)
    if grid:  # he says "in" from the middle on, as far as he can see it
        edge = released - (0.1 if decimals == 1 else 0.05)
    right, pens = int(((edge > 0) == member).sum()), [s.y(f"proof: Zoe {way}") for way in ("in", "out")]
    low, high = (100 * end for end in game.clopper_pearson(right, 4000))
    proofs = int(np.isfinite(pens).sum()) // 2
    values = {"shown": len(s.trace("numbers")["text"]), "proofs": proofs, "games": 4000}
    values |= {"promised": most(55.0), "proof.share": about(100 * np.isinf(edge).mean())}
    return values | every(about, right=right / 40, low=low, high=high)


def noise_lab(s, numbers, query, eta):
    people, members = np.array(EXAMPLE_NUMBERS[numbers]), mip.subsets(10)
    made = {"mean": np.mean, "median": np.median, "maximum": np.max, "variance": np.var}
    answer = made.get(query, lambda half: 1 / half.sum())
    answers = np.array([answer(people[half]) for half in members])
    bounds = every(
        most,
        corrected=mip.scale_from_distance(mip.average_sensitivity(answers, members).max(), eta),
        dp=mip.laplace_dp_scale(eta, mip.largest_sensitivity(answers, members)),
    )
    return {"people": len(people), "exact": s.trace("one scale out")["customdata"][0], **bounds}


def short_ruler(s, shift, ruler):
    # Every mark of the ruler by its digits, in steps of the finest one: so all sums are integers.
    fine, even = 7, ruler == "even"
    digits = range(0, 2**7, 2) if even else [m << e for e in range(8) for m in range(2**3)]
    marks = np.unique([sign * m for m in digits for sign in (1, -1) if m <= 2 ** (fine - 1)])

    def stop(number):
        gap = 2 if even else 1 << max(0, int(abs(number)).bit_length() - 3)
        return round(number / gap) * gap

    hit = {stop(int(mark) + stop(shift * 2**fine)) for mark in marks}
    shown = [int(mark) for mark in marks if abs(mark) <= 2 ** (fine - 2)]
    lost = sum(mark not in hit for mark in shown)
    # A line has two ends and a gap behind them.
    assert np.isfinite(s.y("out of reach with Zoe: proof")).sum() == 2 * lost
    assert {round(2**fine * x) for x in s.x("snaps")[1::3]} == hit
    return {"asked": shift, "shift": stop(shift * 2**fine) / 2**fine, "marks": len(shown), "lost": lost}


def exactly_zero(s, round, measured):
    # Without Zoe the spread inside the half is 0, and so is the noise.
    without, within = s.x("without Zoe: printed"), s.x("with Zoe: printed")
    inside = measured == "on those ten"
    assert (without == 0).all() == (inside or not without.size)
    assert (within != 0).all()
    assert len(without) + len(within) == round
    # Two hills a tenth apart, with noise of so many halves of a tenth.
    scale = 0.05 / math.log(1 / 0.8)
    return {"right": 1 if inside else 1 - math.exp(-0.1 / (2 * scale)) / 2}


def noise_over_spread(s, target, ratio):
    members = mip.subsets(10)
    means = members @ [31, 34, 36, 38, 40, 41, 43, 46, 49, target] / 5
    deviation = np.abs(means - means.mean()).mean()
    eta = mip.laplace_eta(means, members[:, -1:], ratio * deviation)
    hills = s.y("published with her") - s.y("the ground"), s.y("published without Zoe") - s.y("the ground")
    apart, both = (np.trapezoid(y, s.x("the ground")) for y in (np.abs(np.subtract(*hills)), np.add(*hills)))
    assert abs(apart / both - 2 * eta) < 0.02, "as far apart"
    assert np.count_nonzero(
        s.trace(f"{'of one spread' if ratio == 1 else 'not shared'}, of 100")["z"]
    ) == 2 * round(100 * eta)
    told = {"right": 50 + 100 * eta, "coloured": 2 * round(100 * eta)}
    return told | {"bound": most(100 - 50 * math.exp(-1 / ratio))}


def one_swap(s, five, who):
    people, incomes = list(k.PEOPLE), np.array([31, 34, 36, 38, 40, 41, 43, 46, 49, 92])
    blue, orange = (s.x(f"stroke {name}")[0] for name in ("with", "without"))
    # Who is drawn is not pale; of these one has an orange ring, and one a blue one.
    places = s.x("the ten").tolist()
    goes, comes = (places.index(s.x(name)[0]) for name in ("who goes", "in whose place"))
    six = set(np.flatnonzero(np.array(s.trace("the ten")["marker"]["opacity"]) == 1))
    assert len(six) == 6
    assert people[goes] == who
    for mean, leaves in ((blue, comes), (orange, goes)):
        assert math.isclose(mean, incomes[list(six - {leaves})].mean())
    total = incomes.sum()
    halves = [set(half) for half in combinations(range(10), 5)]
    far = [abs(incomes[list(half)].sum() / 5 - total / 10) for half in halves]
    steps = np.abs(incomes[goes] - np.delete(incomes, goes)) / 5
    told = {"step": abs(blue - orange), "way": abs(blue - 45) + abs(orange - 45)}
    return told | {"two": 2 * np.mean(far), "average": steps.mean()}


def posterior_bars(s):
    out, inside = s.y("Zoe is out"), s.y("Zoe is in")
    right = np.maximum(out, inside).sum()
    # Nothing is known of what never comes.
    both = out + inside
    chances = np.divide(inside, both, out=np.full(3, 0.5), where=both > 0)
    return {"right": right, "eta": right - 0.5, **dict(zip("ABC", chances, strict=True))}


def radius_meter(s, dimension):
    lengths = np.hypot(*s.xy("the noise"))
    ends = gamma(dimension, scale=1 / dimension).ppf([0.5 / lengths.size, 1 - 0.5 / lengths.size])
    np.testing.assert_allclose([lengths.min(), lengths.max()], ends, rtol=2e-3)
    return {"shown": lengths.size, "short": ends[0], "long": ends[1]}


def _right_by_pixels(scale, pixels=100, cells=400):
    # A pixel's log odds grow with what it prints, cut off at Zoe's two answers; a grid sums all pixels.
    grid = np.linspace(-1, 1, cells + 1)
    steps = np.diff(np.exp((grid - 1) / scale) / 2)
    one = np.zeros(cells + 1)
    one[[0, -1]] = np.exp(-2 / scale) / 2, 0.5
    one[:-1] += steps / 2
    one[1:] += steps / 2
    size = pixels * cells + 1
    total = np.fft.irfft(np.fft.rfft(one, 2 * size) ** pixels, 2 * size)[:size]
    return total[size // 2 + 1 :].sum() + total[size // 2] / 2


def noisy_heart(s, times, noise):
    if noise == "Gaussian":
        sigma = times / norm.ppf(0.6)
        return {"right": norm.cdf(10 / sigma), "moved": norm(0, sigma).expect(abs)}
    if noise == "each by itself":
        return {"right": _right_by_pixels(times / log(1 / 0.8)), "moved": times / log(1 / 0.8)}
    # The promise that an arrow of this length is made for, and what it delivers on a hundred pixels.
    made_for = (1 - 0.8 ** (100 / times)) / 2
    right = 0.5 + mip.delivered_eta(100, math.inf, made_for, "gamma").value
    # One pixel moves by the whole length, the others by anything up to it.
    farthest = times / math.log(1 / 0.8)
    return {"right": right, "farthest": farthest, "moved": farthest * (1 + 99 / 2) / 100}


def release_lab(s, file, statistic, eta):
    records, trial = example_table(file), example_trial(file, statistic, eta)
    right, low, high = trial.attack.tolist()
    truth = s.x("on all the data (exact)")[0]
    drawn = math.sqrt(np.mean((trial.halves - truth) ** 2))
    lost = math.sqrt(drawn**2 + trial.deviations[0] ** 2)
    found = every(about, right=right, low=100 * low, high=100 * high, lost=lost, drawn=drawn)
    told = {"records": len(records), "halves": s.x("halves, before noise").size}
    told |= {"second.other": trial.deviations[-1]}
    told |= {"truth": statistics_of(records[None], statistic)[0, 0], "deviation": trial.deviations[0]}
    return found | told | {"promise": most(eta), "promised": 50 + 100 * eta}


def roc_square(epsilon):
    true = expit(epsilon)
    # Where nothing is told, nobody is accused.
    fpr, tpr = (1 - true, true) if epsilon else (0, 0)
    return {"most": most(100 * (2 * true - 1)), "found": 100 * tpr, "accused": 100 * fpr}


def mip_figure_1(n, spread, eta):
    M, root, count = int(spread[4]), math.lgamma(n + 1) / 2 - math.lgamma(n / 2 + 1), n <= 120
    of_all = log(mip.reciprocal_absolute_moment(n, M)) if count else (1 - 2 / M) * root
    given = {"M = 2, σ = √5": log(5) / 2, "M = 2, σ = 5": log(5)}.get(spread, of_all)
    change = log(mip.reciprocal_sensitivity(n)) if count else root
    dp = (change - log(log((1 + 2 * eta) / (1 - 2 * eta)))) / log(10)
    noise = ((1 + 2 / M) * log(6.16 / eta) + given) / log(10)
    # Of a number too large for a float its digits are told.
    digits = {"dp": dp, "noise": noise, "less": dp - noise}
    values = {f"{name}.digits": math.floor(size) + 1 for name, size in digits.items()}
    for name, size in {"dp": dp, "noise": noise, "less.times": abs(dp - noise)}.items():
        kind = most if name == "noise" else float
        values |= {name: kind(10.0**size)} if size < 300 else {}
    return values | {"eta": eta, "n": n, "spread.M": M}


@cache
def _budget_fits():
    """Return the fits of sixty halves, as many as the longest budget takes, and the exact ones."""
    rng, members = np.random.default_rng(34), mip.subsets(12)
    data = np.arange(12.0) ** 2
    halves = [data[each] for each in members[rng.integers(0, len(members), 60)]]
    fits = np.stack([mip.fit_on_halves(half, np.mean, 500, rng)[:, 0] for half in halves])
    return fits, members @ data / 6


def budget_noise(s, B, eta, constant, M):
    fits, middle = _budget_fits()
    fits = fits[:, :B]
    right = np.mean(np.abs(middle - middle.mean()) ** M) ** (1 / M)
    found = np.mean(np.abs(fits - fits.mean(axis=1, keepdims=True)) ** M, axis=1) ** (1 / M)
    low, half, high = np.percentile(found, (5, 50, 95))
    printed = None if constant == "sharp" else float(constant)
    c = (printed / eta) ** (1 + 2 / M) if printed else -1 / math.log1p(-2 * eta)
    need = s.y("smallest sufficient (exact)")[0]
    told = {"runs": 60, "B": B, "constant.printed": printed, "need": need, "right": most(right * c)}
    told |= every(about, low=low / right, high=high / right)
    return told | every(about, least=low * c, most=high * c, over=half * c / need)
