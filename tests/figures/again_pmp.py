"""The values of the figures of PMP, computed again."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
from again import about, every, most
from scipy.special import ndtri
from scipy.stats import norm
from scipy.stats import t as student

from mipbook import mip, pmp, tradeoff
from mipbook.choose.examples import TARGETS, example_choice, example_pool
from mipbook.figures.pmp import PARTITION_HALVES
from mipbook.figures.pmp.exponential import _losses
from mipbook.mechanisms import exponential_probabilities
from mipbook.stored import pmp as stored


def choose_lab(s, file, target, clip, delta):
    answer, pool = example_choice(file, "gaussian", target, clip, delta), example_pool(file)
    # Everybody is drawn: at the place, or on the circle.
    assert s.x("the people").size + s.x("pulled in").size == len(pool)
    cut = pool * np.minimum(1, clip / np.linalg.norm(pool, axis=1))[:, None]
    shift, columns = np.linalg.norm(cut.mean(axis=0) - pool.mean(axis=0)), pool.shape[1]
    # Half of them are drawn without repetition: what a sum of pairs says of the variance of a mean.
    lot = math.sqrt(sum(((a - cut) ** 2).sum() for a in cut) / (2 * len(cut) ** 2 * (len(cut) - 1)))
    noise = math.sqrt(columns) * answer.sigma
    table = {
        "off by the noise, in all columns": [noise],
        "off by who is drawn": [lot],
        "off by the circle": [shift],
        "ε(X), if he knows all others, at most": [most(answer.subset_epsilon.value)],
        "ε on DP's label, at most": [most(answer.epsilon)],
    }
    told = {"off": math.sqrt(noise**2 + lot**2 + shift**2), "table": table, "records": len(pool)}
    told |= every(most, sigma=answer.sigma, right=answer.success)
    told |= {"columns": columns} if columns > 1 else {}
    return told | {"clipped": (np.linalg.norm(pool, axis=1) > clip).sum()}


def choose_name(s, pool, clip):
    table = example_pool(pool)
    cut = table * np.minimum(1, clip / np.linalg.norm(table, axis=1))[:, None]
    sigma = example_choice(pool, "gaussian", 0.1, clip, 1e-3).sigma
    # With all others known it is one swap of the half; by the label, the longest that there could be.
    swap = max(np.linalg.norm(a - b) for a in cut for b in cut)
    known, label = (
        float(tradeoff.gaussian_epsilon(1e-3, sigma=sigma, sensitivity=2 * far / len(table)))
        for far in (swap, 2 * clip)
    )
    told = every(most, known=known, epsilon=label, target=0.1, sigma=sigma)
    bent = (np.linalg.norm(table, axis=1) > clip).sum()
    return told | {"delta": 1e-3, "clipped": bent, "records": len(table)}


def choose_crowd(s, noise):
    # The smallest of the targets that so much noise meets, and what it allows, by the odds.
    answers = [example_choice("200 people", "gaussian", aim, 5.0, 1e-3) for aim in TARGETS]
    answer = next(each for each in answers if each.sigma <= noise)
    pool = example_pool("200 people")
    people = pool[:, 1::-1] - pool[:, 1::-1].mean(axis=0)
    assert np.allclose(s.xy("the people"), people.T, atol=5e-3)
    spread = math.sqrt(np.mean([np.var(score, ddof=1) for score in pool.T]))
    for disk, far in (("the noise, one σ", noise), ("so far a patient", spread)):
        assert np.allclose(np.hypot(*s.xy(disk)), far, rtol=5e-3, atol=2e-3)
    # Of the forty throws four in ten lie in the disk.
    assert np.count_nonzero(np.hypot(*s.xy("forty throws")) < noise) == 16 == 0.4 * len(s.x("forty throws"))
    allowed = next(each for each in answers if each.target == 0.1)
    odds = [math.exp(each.certificate.value) for each in (answer, allowed)]
    right = [(each + 1e-3) / (1 + each) for each in odds]
    told = {"target": most(answer.target), "right": most(right[0]), "allowed": most(right[1])}
    return told | {"spread": spread, "delta": 1e-3, "points": {"right, said": [most(100 * right[0])]}}


def _village(epsilon, clip):
    """Return the village, and of each person how likely each slice is, with them and without."""
    pool = pmp.draw_pool(6, 5, 10, 1.0, clip, 2, 100.0, np.random.default_rng(7))
    members = mip.subsets(12)
    chances = exponential_probabilities(members @ pool.losses / 6, epsilon, (clip + 1) / 6)
    return pool, np.array([[chances[m].mean(axis=0), chances[~m].mean(axis=0)] for m in members.T])


def which_wheel(s, epsilon, round):
    _, sides = _village(epsilon, 50.0)
    apart = np.abs(sides[:, 0] - sides[:, 1]).sum(axis=1)
    zoe = sides[apart.argmax()]
    wheels = ("the wheel with Zoe", -1.14), ("the wheel without her", 1.14)
    for (name, middle), law in zip(wheels, zoe, strict=True):
        turns = np.arctan2(s.x(name)[1::3] - middle, s.y(name)[1::3]) / (2 * math.pi)
        assert np.allclose((turns - np.cumsum(law) + law + 0.5) % 1, 0.5, atol=2e-3)
    lot, share = np.random.default_rng([7, round + 1]).random(2)
    at = np.count_nonzero(np.cumsum(zoe[int(lot >= 0.5)]) < share)
    inside, without = zoe[:, at]
    # The last in line is Zoe: she is among the six, or stayed.
    six, rest = (s.x(name) for name in ("those who were drawn", "those who stayed"))
    assert len(six) == len(rest) == 6
    assert (max(six) > max(rest)) == (lot < 0.5)
    bars = [np.ptp(s.x(f"unrolled, {name}")) for name, _ in wheels]
    assert math.isclose(bars[0] / bars[1], inside / without, rel_tol=5e-3)
    told = {"inside": 100 * inside, "without": 100 * without, "right": 0.5 + apart.max() / 4}
    return told | {"points": {"how large": [100 * inside, 100 * without], "its label": [epsilon]}}


def four_epsilons(s, epsilon, clip):
    rows = ("you, the list", "five of six", "any village", "on the label")
    practical, known, true, nominal = (s.x(row)[0] for row in rows)
    pool, sides = _village(epsilon, clip)
    diameter = max(np.linalg.norm(a - b) for a in pool.objects for b in pool.objects)
    assert math.isclose(true, min(epsilon, epsilon / (clip + 1) * diameter))
    odds = (sides[:, 0] / sides[:, 1]).ravel()
    told = {
        "nominal": epsilon,
        "true": most(true),
        "known": pmp.subset_epsilon(pool.losses, epsilon, (clip + 1) / 6),
        "practical": np.abs(np.log(odds)).max(),
        "telling": max(odds.max() / (1 + odds.max()), 1 / (1 + odds.min())),
        "right": 0.5 + np.abs(sides[:, 0] - sides[:, 1]).sum(axis=1).max() / 4,
    }
    beside = dict(zip(rows, (practical, known, most(true), nominal), strict=True))
    beside |= {f"value, {row}": value for row, value in beside.items()}
    beside["how much too loud"] = nominal / practical
    # The slice of the one ball and the one villager by which the odds are farthest apart.
    ball = np.abs(np.log(odds)).argmax()
    shares = [100 * sides[:, side].ravel()[ball] for side in (0, 1)]
    beside = {row: [value] for row, value in beside.items()} | {"the purple slice": shares}
    return told | {"points": beside}


def two_readers(s, n, place):
    others = [norm.ppf((i + 0.5) / (2 * n - 1)) for i in range(2 * n - 1)]
    # The two hills as drawn, of equal area: what of one does not lie under the other.
    out, inside = (s.y(f"seen by the stranger, {side}") for side in ("without", "with her"))
    apart = np.abs(inside - out).sum() / (inside + out).sum()
    stranger = 50 + 50 * pmp.gaussian_delta_exact([place, *others], 1.0, 0.0, record=0)
    assert abs(50 + 50 * apart - stranger) < 1
    colleague = 100 * norm.cdf(place / 2)
    beside = {"his share": [colleague], "right, the stranger": [stranger]}
    # All are on the list, each in a place of their own, and nobody is further right than Zoe, the first.
    assert len(set(zip(*s.xy("the list"), strict=True))) == 2 * n
    assert s.x("the list")[0] == max(s.x("the list"))
    return {"points": beside, "colleague": colleague, "stranger": stranger, "pool": 2 * n}


def hockey_stick(s, n, times):
    # By the densities, on a grid of its own.
    values = np.append(1.0, ndtri((np.arange(2 * n - 1) + 0.5) / (2 * n - 1)))
    at = np.linspace(-14, 20, 200_001)
    inside, out = pmp.gaussian_densities(values, 1.0, 0, at)
    delta = np.trapezoid(np.maximum(inside - times * out, 0), at)
    told = {"pool": 2 * n, "epsilon": math.log(times), "delta": delta, "short": 100 * delta}
    return told | {"points": {"how much sticks out": [100 * delta]}}


def bound_and_truth(s, n):
    values = norm.ppf((np.arange(2 * n) + 0.5) / (2 * n)) / n
    noise = tradeoff.gaussian_sigma(10.0, delta=0.01, sensitivity=values[-1] - values[0])
    bound, truth = s.told["bound"].value, s.told["truth"].value
    # At each of the two no more than δ sticks out, and a little below it more does.
    for delta, told in ((pmp.gaussian_delta_bound, bound), (pmp.gaussian_delta_exact, truth)):
        assert delta(values, noise, told + 1e-6) <= 0.01 <= delta(values, noise, told - 1e-5)
    told = {"faced": 10.0, "spent": 0.01, "bound": most(bound), "truth": truth}
    return told | {"pool": 2 * n, "times": bound / truth}


def modular_sum_bars(s, n, record):
    # By whole numbers: the halves with the record and without it, by remainder.
    ways = [[0] * (2 * n) for _ in range(n + 1)]
    ways[0][0] = 1
    for label in set(range(2 * n)) - {record}:
        for size in range(n, 0, -1):
            ways[size] = [a + ways[size - 1][(r - label) % (2 * n)] for r, a in enumerate(ways[size])]
    outside, inside = ways[n], [ways[n - 1][(r - record) % (2 * n)] for r in range(2 * n)]
    odds = max(Fraction(max(a, b), min(a, b)) for a, b in zip(inside, outside, strict=True))
    high, low = max(inside + outside), min(inside + outside)
    epsilon, loose = (math.log1p(float(each - 1)) for each in (odds, Fraction(high, low)))
    pairs = {(max(p), min(p)) for p in zip(inside, outside, strict=True) if Fraction(max(p), min(p)) == odds}
    top, bottom = s.told["top"].value, s.told["bottom"].value
    assert (top, bottom) in pairs
    drawn = np.concatenate([s.y("record in"), s.y("record out")])
    told = {"epsilon": epsilon, "loose": loose, "at_most": most(loose), "times": loose / epsilon}
    told |= {"top": top, "bottom": bottom, "high_count": high, "low_count": low, "last": 2 * n - 1}
    right = 100 * sum(map(max, inside, outside)) / (sum(inside) + sum(outside))
    return told | {"low": drawn.min(), "high": drawn.max(), "right": right}


def far_villager(s, away):
    places = np.exp(1j * np.pi * np.arange(1, 20, 2) / 10)
    drawn = s.x("ten places") + 1j * s.y("ten places")
    assert np.allclose(np.sort_complex(drawn.round(2)), np.sort_complex(places.round(2)))
    ways = np.sort(np.abs(places - away))
    columns = s.y("common to all ten") + s.y("what differs")
    assert np.allclose(columns, ways, atol=2e-3)
    assert np.ptp(columns) <= 2
    assert s.x("Zoe")[0] == away
    return {"near": ways[0], "far": ways[-1], "felt": ways[-1] - ways[0], "away": away}


def not_monotone(s, pool, epsilon):
    epsilons, practical = s.xy("ε̃ (exact)")
    losses, sensitivity = _losses(pool)
    members = mip.subsets(len(losses))
    chances = exponential_probabilities(members @ losses / (len(losses) // 2), epsilon, sensitivity)
    # On each record and choice: how likely with the record and without.
    sides = np.array([[chances[m].mean(axis=0), chances[~m].mean(axis=0)] for m in members.T])
    apart = np.abs(np.log(sides[:, 0] / sides[:, 1]))
    # Of several that tell equally much it is the one that wins most often.
    worst = sides.transpose(0, 2, 1)[apart >= apart.max() - 1e-6]
    inside, without = max(worst, key=lambda pair: pair[0])
    told = {"peak": practical.max(), "at": epsilons[practical.argmax()], "end": practical[-1]}
    told |= {"practical": pmp.exponential_epsilon(losses, epsilon, sensitivity)}
    wheels = {"how often, with a person": [inside], "how often, without": [without]}
    return told | {"inside": inside, "without": without, "points": wheels}


def partition_picture(s, seen, draw):
    lit, left = list(s.trace("who would be in each study")["customdata"]), s.told["left"].value
    assert len(lit) == 3 * left
    # A card is three faces; the true one is among those that are left.
    cards = {"".join(name[0] for name in lit[i : i + 3]) for i in range(0, len(lit), 3)}
    assert PARTITION_HALVES[draw - 1] in cards <= set(PARTITION_HALVES)
    assert len(s.x("all twenty studies")) == 60
    # Who stands on how many of the cards that are left.
    counts = {who: lit.count(who) for who in s.trace("the six")["customdata"]}
    chances = {who: count / left for who, count in counts.items()}
    left = {"nothing": 20, "the two groups": 2, "one bit (on a list?)": 10, "a noisy word": 20, "both": 1}[
        seen
    ]
    sides = {"points": {"how many cards": [counts["Anna"], left - counts["Anna"]]}}
    told = {"left": left, "hers": counts["Anna"]}
    if seen == "a noisy word":
        # By Bayes, of the cards one by one: hers and the others count 11 and 10, or the other way round.
        odds = (11, 10) if PARTITION_HALVES[draw - 1][0] == "A" else (10, 11)
        counted = [odds["A" not in card] for card in PARTITION_HALVES]
        chances = {
            who: sum(n for card, n in zip(PARTITION_HALVES, counted, strict=True) if who[0] in card)
            / sum(counted)
            for who in counts
        }
        told |= {"true": 11, "all": 21, "odds_in": odds[0], "odds_out": odds[1]}
        sides = {"points": {"how many cards": [10, odds[0], 10, odds[1]]}}
        drawn = [float(text[3:-4]) for text in s.trace("their chance")["text"]]
        assert np.allclose(drawn, list(chances.values()), atol=5e-4)
    right = max(chances["Anna"], 1 - chances["Anna"])
    return told | {"right": right, **sides, **chances}


def _band(values):
    count = values.shape[-1]
    half = student.ppf(0.975, count - 1) * values.std(axis=-1, ddof=1) / math.sqrt(count)
    return values.mean(axis=-1), half


def _told(name, mean, half, at):
    return {f"{name}.mean": about(mean[at]), f"{name}.half": about(half[at])}


_NAMES = {"pool": "ε̃ / ε(X)", "all": "ε̃ / ε", "exact": "ε̃ / exact ε(X)"}


def _drawn(s, name):
    """Return the curve of this name, behind which stands its tag."""
    (trace,) = (each for each in s.traces if each["name"].startswith(f"{name} ("))
    return np.array(trace["y"], dtype=float)


def _exponential(s, figure, at, vary, to, held, convention, average):
    value = figure.options[vary][min(to, len(figure.options[vary]) - 1)]
    # What is stored, `tests/stored` counts half by half.
    mean, half, worst, count = figure.told(vary, value, held, convention)
    middle, place = mean if average == "mean" else worst, figure.stops.index(at)
    found = {"trials": count if average == "mean" else min(10, count), "setting.value": value}
    found |= {"held": "ε(X)" if held == "surrogate" else "ε"}
    for side, row, wide in zip(_NAMES, middle, half, strict=True):
        known = row[np.isfinite(row)]
        # Three digits are drawn.
        assert np.allclose(_drawn(s, _NAMES[side]), row, rtol=5e-3, equal_nan=True)
        if len(known):
            ends = {"first": known[0], "last": known[-1], "least": known.min(), "most": known.max()}
            found |= {f"{side}_{end}": about(value) for end, value in ends.items()}
        found |= _told(side, row, wide, place) | {f"{side}.most": about(row[place])}
    alike = figure.told("trials", found["trials"], held, convention)
    return found, middle, half, alike[0 if average == "mean" else 2][:, place]


def pmp_figure_1(s, vary, to, held, convention, average):
    figure, sigmas = stored.FIGURE_1, np.array(stored.FIGURE_1.stops)
    found, middle, half, same = _exponential(s, figure, 1.0, vary, to, held, convention, average)
    mean, half = middle[1], half[1] * (average == "mean")
    wider = 20 / 11 if convention == "triangle" else 1
    drawn = figure.read("pmp")[5] / 5.0 * figure.read("share")[5] / wider
    off, top = abs(0.075 - mean[5]) / drawn.std(ddof=1), np.nanargmax(mean)
    near = sigmas[mean + half >= mean[top] - half[top]]
    found |= every(about, off=off, short=mean[5], same=same[1])
    return found | {"few": math.ceil((1.96 / off) ** 2), "near": near[0], "far": near[-1]}


def pmp_figure_2(s, vary, to, held, convention, average):
    found, middle, _, same = _exponential(s, stored.FIGURE_2, 50.0, vary, to, held, convention, average)
    side = 2 if math.isfinite(middle[2][5]) else 1
    return found | every(about, short=middle[side][5], same=same[side])


def pmp_figure_3(s, vary, to, held, convention, average):
    found, middle, half, same = _exponential(s, stored.FIGURE_3, 50, vary, to, held, convention, average)
    one = _told("one", middle[0], half[0], 0) | {"one.most": about(middle[0][0])}
    return found | one | every(about, short=middle[0][6], same=same[0])


_SETS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 20, 22, 25, 28, 30)


def _gaussian(s, figure, vary, to, held, sensitivity, average):
    axis, own = figure.along, {**figure.own, "pools": 20}
    value = {**figure.stops, "pools": _SETS}[vary][to]
    moved = {} if vary == axis else {vary: value}
    found = figure.read(held, sensitivity, "mean" if average == "mean" else "worst", **moved)
    there = value if vary == axis else own[axis]
    at, own_at = found.at.index(there), found.at.index(own[axis])
    itself = vary in (axis, "pools", "epsilon") or value == own[vary]
    held_at = there if axis == "epsilon" else value if vary == "epsilon" else 5.0
    values = {"trials": found.pmp.shape[1], "there.moved": there, "setting.moved": value}
    values |= {"where.moved": there if itself else value, "kept.target": held_at}
    kept = every(about, epsilon=found.epsilon[own_at].mean(), subset=found.subset[own_at].mean())
    values |= {f"verdict.{name}": value for name, value in kept.items()}
    over = {"pool": found.pmp / np.maximum(found.subset, 1e-300), "all": found.pmp / found.epsilon}
    for side, quotients in over.items():
        mean, half = _band(quotients)
        half = np.where(half > 1e-9 * mean, half, 0.0)
        worst = [most(each) for each in quotients.max(axis=-1)]
        drawn = quotients.max(axis=-1) if average == "set" else mean
        assert np.allclose(_drawn(s, _NAMES[side]), drawn, rtol=6e-3, atol=2e-12)
        if average != "set":
            band = s.y(f"95% band of {_NAMES[side]}")[: len(mean)]
            assert np.allclose(band, mean + half, rtol=6e-3, atol=2e-12)
        ends = worst if average == "set" else [about(one) for one in mean]
        values |= {f"{side}_first": ends[0], f"{side}_last": ends[-1]}
        values |= {f"trend_{side}.first": ends[0], f"trend_{side}.last": ends[-1]}
        values |= _told(side, mean, half, at) | {f"{side}.most": worst[at]}
    (mean, half), top = _band(found.pmp), found.pmp.max(axis=-1)
    values |= _told("told", mean, half, at) | _told("one", mean, half, 0)
    values |= {"told.most": most(top[at]), "one.most": most(top[0])}
    return {**values, "short": most(top[at]) if average == "set" else about(mean[at])}


pmp_figure_4, pmp_figure_5, pmp_figure_6 = (
    partial(_gaussian, figure=figure) for figure in (stored.FIGURE_4, stored.FIGURE_5, stored.FIGURE_6)
)


def pmp_square(s, told, delta, epsilon, example):
    ring, diamond = (s.xy(name)[:, 0] for name in ("averages (PMP)", "neighbours (DP)"))
    # The border of PMP is straight between its corners, where a formula takes over; turned, it is the lower.
    x, upper = s.xy("PMP, δ (bound)")
    want = np.minimum(math.exp(epsilon) * x[:4] + delta, 1 - (1 - delta - x[:4]) * math.exp(-epsilon))
    assert np.allclose(upper[:4], np.minimum(want, 1), atol=1e-9)
    assert np.allclose([x[4:], upper[4:]], [1 - x[:4], 1 - upper[:4]], atol=1e-9)
    fine = np.linspace(0, 1, 101)
    borders = ("posterior form (1)", "PMP, δ (bound)", "as printed, 2δ")
    sides = [np.interp(fine, *s.xy(each)[:, :4]) for each in borders]
    assert (np.diff(sides, axis=0) >= -1e-9).all()
    # One event: what one side says more often than the other, at the same chances for both.
    told = {"e": epsilon, "low": delta, "high": min(1, 2 * delta), "by_pmp": ring[1] - ring[0]}
    told |= {"posterior": pmp.epsilon_from_posterior(epsilon, delta), "by_dp": diamond[1] - diamond[0]}
    return told | dict(zip(("out", "inside", "pair_out", "pair_in"), (*ring, *diamond), strict=True))


def ratio_lab(s, average):
    curves = [trace["name"] for trace in s.traces if trace["mode"] == "lines+markers"]
    rows, x = {}, s.x(curves[0])
    for name in curves:
        # What is drawn, and how far the band reaches above it; where it is not counted there is a gap.
        drawn, band = s.y(name), s.y(f"95% band of {name.rpartition(' (')[0]}")
        known = np.isfinite(drawn)
        half = np.zeros(len(x))
        half[known] = band[: known.sum()] - drawn[known]
        for at, middle, wide in zip(x[known], drawn[known], half[known], strict=True):
            told = [about(middle), about(wide, within=1e-4)] if average == "mean" else [about(middle)]
            rows.setdefault(f"{at:g}", []).extend(told)
    inside, overall = s.y(curves[0]), s.y(curves[1])
    ends = every(about, one=min(inside), other=max(inside), least=min(overall), most=max(overall))
    return {"table": rows, **ends, "many": len(x), "trials": 10}
