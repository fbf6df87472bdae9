"""The values of the figures of all four notions together, computed again."""

import math
from decimal import Decimal

import numpy as np
from again import Must, about, every, least, most
from scipy.optimize import brentq
from scipy.special import chndtr, expit, gammaincinv
from scipy.stats import binom, norm

from mipbook import audit, tradeoff
from mipbook.accounting import FAMILIES, READINGS, joint_table
from mipbook.accounting.known import from_dp, from_gaussian, from_table, matching
from mipbook.dpsgd import certified_epsilon, clipping
from mipbook.figures.together import EXAMPLE_OUTPUTS
from mipbook.figures.together.clip_and_noise import _read
from mipbook.figures.together.implications import _KNOWS
from mipbook.figures.together.translate import _ROWS, PAIR, known
from mipbook.figures.together.translate_app import _FAMILIES, _WANTED
from mipbook.mip import subsets
from mipbook.mis.mean_attacks import mean_attack_tpr
from mipbook.pmp import design_bit, partition_mechanism, publish_one
from mipbook.stored.tools import tool_answers
from mipbook.stored.trained import MODELS, SIGMAS, few_shadows, needed, plan, promised, trained
from studies.dpsgd_runs import row

_DELTA = 1e-5
# Of each reader those who know more.
_HARDER = {"DP": (), "PMP": ("DP",), "MIP": ("DP", "PMP"), "MIS": ("DP", "PMP", "MIP")}


def accused(s, prior):
    # A pure promise multiplies the odds by its e at most.
    odds = math.exp(3.0) * prior / (100 - prior)
    share = odds / (1 + odds)
    assert s.x("members").size == math.ceil(1000 * share - 1e-6) == 1000 - s.x("wrongly accused").size
    return {"found": most(share), "prior": prior / 100}


def carried(s, right):
    # Whoever knows less is stopped at as much; from DP the stranger at the root of the odds.
    root = math.sqrt(right / (100 - right))
    told = {"DP": right, "DP, MIS": most(100 * root / (1 + root))}
    rows, drawn = {"DP, MIS": [told["DP, MIS"]]}, {trace["name"] for trace in s.traces}
    for start in _HARDER:
        stopped = [spy for spy in _HARDER if spy == start or start in _HARDER[spy]]
        assert {f"{'stopped' if spy in stopped else 'free'}, {start}, {spy}" for spy in _HARDER} <= drawn
        rows[start] = [right] * (len(stopped) - (start == "DP"))
    points = {f"often, {row}": values for row, values in rows.items()}
    return {"DP": right, "MIS": told["DP, MIS"], "points": points}


def chosen_afterwards(s, numbers, run, shared):
    tried, alarm = s.xy("so many would be an alarm (exact)").astype(int)
    over = s.y("right guesses of a run without a leak")[tried] >= alarm
    assert np.isfinite(s.y("the alarm")).any() == over.any()
    told = {"verdict": "a false alarm" if over.any() else "no alarm", "first": tried[over.argmax()]}
    return told | {"count": numbers, "run": run, "alarms": audit.false_alarm(tried, corrected=shared)}


def clip_lab(s, norms, n, batch, passes, sigma, epsilon):
    low, high = plan(n, batch, passes, sigma)
    sampling, steps = min(batch, n) / n, passes * math.ceil(n / batch)
    values, _ = _read(norms)
    best = clipping.best_sample_clip(n, sigma, values, sampling)
    told = {"steps": steps, "budget": epsilon, "many": len(values), "best": best}
    told |= {"low": least(low), **every(most, high=high, needs=needed(n, batch, passes, epsilon))}
    points = {"the best clip (exact)": [best, best / values.max()]}
    # The squares of the three errors add up to that of all.
    parts = [s.y(f"by {what} (exact)") for what in ("what is cut off", "who is drawn")]
    # That of the noise grows with the clip.
    (_, far), (_, most_noise) = s.xy("by noise (exact)")
    parts.append(most_noise / far * s.x("in all (exact)"))
    assert np.allclose(np.sqrt(np.sum(np.square(parts), axis=0)), s.y("in all (exact)"), rtol=1e-3)
    return told | {"cut": (values > best).mean(), "points": points}


def training_run(records, batch, epochs, sigma, delta):
    sampling, steps = batch / records, math.ceil(epochs * records / batch)
    told = []
    for replaced in (False, True):
        # Cells a tenth of the loss wide, all of one run; the figure reads two fine curves of each kind.
        high = row(sampling, sigma, replaced, [steps])[0][:, 0]
        high[-4:] = np.minimum(high[-4:], 1.0)  # its ladder leaves the last chances before 1 out
        epsilon = certified_epsilon(sampling, sigma, steps, delta, replaced).value
        told.append([most(each, within=0.01) for each in (epsilon, 0.5 + high[-4] / 2, *high[-3:-1])])
    found = (f"he finds, if he accuses {share}" for share in ("1 other in 100", "1 in 1,000"))
    rows = dict(zip(("ε", "a spy is right", *found), zip(*told, strict=True), strict=True))
    rows["right, if he knows nobody else (MIS)"] = [most(0.5 + high[-1] / 2, within=0.01)]
    found = dict(zip(("epsilon", "right", "tpr"), told[0][:3], strict=True))
    return {**found, "low": least(found["epsilon"].value, within=0.01), "table": rows}


def clipped_pulls(s, clip, sigma):
    pulls = s.xy("the ten")
    bias = np.hypot(*(pulls * np.minimum(1, clip / np.hypot(*pulls)) - pulls).mean(axis=1))
    # Two bells one clip apart, each of sigma clips.
    right = 0.5 + tradeoff.gaussian_advantage(sigma) / 2
    return {"right": right, "bias": bias, "off": math.sqrt(bias**2 + 2 * (sigma * clip / 10) ** 2)}


def mean_noise(rows, cap, right):
    # Two bells one reach apart cross halfway: what lies beyond, he gets right.
    reach, apart = cap / rows, 2 * norm.ppf(right / 100)

    def over(e):
        return norm.cdf(apart / 2 - e / apart) - np.exp(e) * norm.cdf(-apart / 2 - e / apart) - _DELTA

    epsilon = brentq(over, 0, 40)
    told = every(most, reach=reach, sigma=reach / apart)
    told |= {"points": {"how far": [told["reach"], told["sigma"]]}}
    return told | {"allowed": right / 100, "table": {"ε at δ = 10⁻⁵, if a row is replaced": [most(epsilon)]}}


def composition_costs(s, k, epsilon):
    # The majority of k answers by randomised response; a tie is a coin toss.
    lie, wrong = 1 / (1 + np.exp(epsilon)), np.arange(k + 1)
    wins = (2 * wrong < k) + 0.5 * (2 * wrong == k)
    right = 100 * (wins @ binom.pmf(wrong, k, lie))
    ahead = [s.x(f"hints ahead, {says}").size for says in ("in", "out")]
    assert sum(ahead) + 2 * s.x("hints, in").size == k == sum(ahead) + 2 * s.x("hints, out").size
    told = {"right": right, "total": k * epsilon, "summed": most(1 / (1 + np.exp(-k * epsilon)))}
    return told | {"ahead": max(ahead), "k": k}


def _sort(release):
    """Return what a rate is of a release: one that is known by its moments alone has a bound."""
    return "bound" if release in ("zCDP", "Rényi") else "exact"


def every_reading(s, release, size):
    found = known(release, size)
    half, mis = found.advantage.value / 2, found.mis.value
    rate, epsilon = float(found.tpr(0.01)), float(found.epsilon(_DELTA))
    rows = [*map(most, (50 + 100 * half, 100 * rate, epsilon, half, mis))]
    shares = [2 * half, rate, min(epsilon / 10, 1), 2 * half, mis]
    assert np.allclose([s.x(f"bar, {name}")[1] for name in _ROWS], shares, rtol=1e-3)
    points = {f"told, {name}": [row] for name, row in zip(_ROWS, rows, strict=True)}
    # The corner is where the curve is farthest from a coin toss.
    x, t = s.xy("curve") / 100
    assert np.allclose(t, found.tpr(x), rtol=1e-3)
    assert np.allclose(s.xy("curve, DP"), [[0, 100 * math.exp(-epsilon)], [100 * _DELTA, 100]])
    assert np.allclose(s.y("curve, MIP"), [50 - 100 * half, 50 + 100 * half])
    assert abs((t - x).max() - 2 * half) < 1e-3
    told = {"right": most(0.5 + half), "told.x": size, "told.scale": 1 / size}
    return told | {f"row{i}": row for i, row in enumerate(rows)} | {"points": points}


def name_one(s, seen):
    halves = subsets(10)
    tables = {"name": publish_one(5, 1 / 5), "houses": partition_mechanism(5)}
    table = tables.get(seen, joint_table(*tables.values()))
    inside, outside = (table[halves[:, 0] == side].mean(axis=0) for side in (True, False))
    assert np.allclose(np.unique(s.x("the study")), np.unique(-s.x("the others")))
    return {"right": 0.5 + np.abs(inside - outside).sum() / 4}


def promise(epsilon, delta):
    odds = math.exp(epsilon)

    def found(fpr):
        return min(delta + odds * fpr, 1 - (1 - delta - fpr) / odds)

    rates = {share: found(fpr) for share, fpr in (("10%", 0.1), ("0.1%", 0.001))}
    advantage = 1 - 2 * (1 - delta) / (1 + odds)
    table = {f"found, if {share} of others are accused": [most(rate)] for share, rate in rates.items()}
    table |= {"advantage, found minus accused": [most(advantage)], "MIP: η": [most(advantage / 2)]}
    # For every smaller epsilon what the pair leaves of delta, and what a replaced record then costs.
    at = np.linspace(0, epsilon, 200_001)
    left = delta + (1 - delta) * (1 - np.exp(at - epsilon)) / (1 + np.exp(-epsilon))
    cost = np.tanh(at / 4)
    table["MIS: Δ"] = [most(float((cost + (1 - cost) * left).min()), within=1e-4)]
    drawn = {"how many": [most(0.5 + advantage / 2), most(found(0.01))]}
    told = {"right": most(0.5 + advantage / 2), "tpr": most(found(0.01)), "epsilon": epsilon, "delta": delta}
    return told | {"table": table, "points": drawn}


def one_run_proof(s, right, canaries):
    lit = sum(s.x(f"right: {coin}").size for coin in ("heads", "tails"))
    assert lit == round(min(canaries, 1000) * right / 100) or canaries < 1000
    hits, ceiling = right * canaries // 100, audit.canary_ceiling(canaries, _DELTA, canaries)
    proved = audit.canary_epsilon(hits, canaries, _DELTA)
    return {"right": hits, **every(least, sharp=proved, ceiling=ceiling)}


def sorted_people(s, line, epsilon, told):
    gaussian = from_gaussian(float(tradeoff.gaussian_sigma(epsilon, delta=_DELTA)))
    reading = from_dp(epsilon, _DELTA) if told == "ε and δ alone" else gaussian
    # The best of the tests that accuse so many: at a slope of t against x both sides of it are mixed.
    wrong = np.unique([*np.linspace(0, 1, 200_001), *np.geomspace(1e-15, 1, 20_001)])
    found = min(np.interp(line / 500, wrong + reading.tpr(wrong), reading.tpr(wrong)), line / 500)
    right = 500 + 1000 * found - line
    inside = s.x("in the study")
    assert inside.size == s.x("not in the study").size == 500
    assert abs(np.sum(inside < line / 20 - 0.5) - 500 * found) < 0.51
    assert np.isclose(s.x("right")[1], max(right, 500), atol=1e-3)
    told = {"members": most(500 * found, within=1e-5), "right": most(right / 1000, within=1e-5)}
    return told | {"line": line, "who.epsilon": epsilon}


def shadow_count(s, models, fpr):
    place = MODELS.index(models)
    pooled, low, high = (1000 * ends[place] for ends in few_shadows(20, "online, pooled", fpr))
    exact = 1000 * mean_attack_tpr(fpr, 10, 20, attack="offline", shadows=models)
    high = min(high, 1000 * mean_attack_tpr(fpr, 10, 20))
    crowds = [trace for trace in s.traces if trace["name"].startswith("found")]
    assert [len(each["x"]) for each in crowds] == [round(found) for found in (pooled, exact)]
    return every(about, pooled=pooled, low=low, high=high) | {"models": models, "exact": exact}


def own_lines(s, lines):
    # The line of who is asked about comes later, in its own row.
    ends = np.fmax(s.x("say in to the left"), s.x("say in to the left of the one asked"))
    ends = ends[np.isfinite(ends)][::2]
    # The middle of each fifth of the squared lengths; then the two chi squares, of others and of members.
    fifths = 2 * gammaincinv(10, (np.arange(5) + 0.5) / 5)
    assert (np.ptp(ends) == 0) == (lines == "one for all")
    at = ends + np.array([[-0.1], [0], [0.1]])
    shares = chndtr(at / 0.09, 20, 9 * fifths) - chndtr(10 * at, 20, 10 * fifths)
    near = shares if lines == "one for each" else shares.mean(axis=1, keepdims=True)
    assert (near.argmax(axis=0) == 1).all()
    return {"right": 0.5 + shares[1].mean() / 2}


def _row(found, delta):
    half = found.advantage.value / 2
    rates = float(found.tpr(0.01)), float(found.tpr(0.001)), float(found.epsilon(delta)), found.auc.value
    return [*map(most, (0.5 + half, *rates, half)), least(1 - found.mis.value)]


def side_by_side(first, first_size, second, second_size, delta, file):
    values, table = {}, {}
    for which, name, size in (("first", first, first_size), ("second", second, second_size)):
        found = from_dp(size, delta) if name == PAIR else known(name, size)
        values[f"{which}Found"] = most(float(found.tpr(0.01)))
        values |= {f"{which}Told.x": size, f"{which}Told.scale": 1 / size}
        values[f"{which}Kind"], table[which] = _sort(name), _row(found, delta)
    inside, outside = map(np.array, EXAMPLE_OUTPUTS[file])
    rate = float(from_table(inside, outside).tpr(0.01))
    values["table"] = table | {"table": _row(from_table(inside, outside), delta)}
    return {**values, "tableFound": most(rate)}


def tool_noise(s, epsilon, delta):
    answers = tool_answers("sigma", epsilon=epsilon, delta=delta)
    marker = s.trace("answers")["marker"]
    sides = {"few": ("arrow-wide", -90), "good": ("circle", 0), "many": ("arrow-wide", 90)}
    # Who gave no answer stands nowhere.
    drawn = zip(marker["symbol"], marker["angle"], s.x("answers"), strict=True)
    symbols = [(symbol, turned) for symbol, turned, at in drawn if np.isfinite(at)]
    told = {name: symbols.count(symbol) for name, symbol in sides.items()}
    for i, answer in enumerate(answers):
        # They are stored with three digits.
        off = Must(float(Decimal(answer.value) / Decimal(answers[0].truth) - 1), within=6e-3)
        told |= {f"off{i}": off} if answer.side in ("safe", "unsafe") else {}
    return told | {"all": len(symbols), "truth": float(tradeoff.gaussian_sigma(epsilon, delta=delta))}


def trained_accuracy(s, clip, sigma):
    found = trained("softmax", clip)
    at = SIGMAS.index(sigma)
    assert s.x("misread").size == 100 - round(100 * found.accuracy[at])
    told = every(about, missed=100 - 100 * found.accuracy[at], plain=100 - 100 * found.accuracy[0])
    told |= {"half": about(100 * found.half_width[at])}
    promise = {"promise.epsilon": most(promised(sigma).epsilon), "promise.sigma": sigma} if sigma else {}
    return told | promise


def six_bets(s):
    # Whoever knows less is held; of the two with the list he who must answer knows less of when to.
    names = {said: notion for notion, said in _KNOWS.items()}
    start, end = (names[text.split("</b>")[0][3:]] for text in s.trace("how often")["text"])
    (answer,) = (part.meta["answer"] for _, part in s.layers if "answer" in part.meta)
    assert answer == ("held" if start in _HARDER[end] else "free")
    return {"held": sum(map(len, _HARDER.values()))}


def votes(s, k, epsilon):
    yes, no = s.x("says in").size, s.x("says out").size
    assert yes + no == k == 15 - s.x("to come").size
    said = ": a tie" if yes == no else f"says <b>{'in' if yes > no else 'out'}"
    assert said in s.trace("what he hears")["text"][0]
    count, true = np.arange(k + 1), expit(epsilon)
    member, other = binom.pmf(count, k, true), binom.pmf(count, k, 1 - true)
    return {"right": 50 + 50 * np.maximum(member - other, 0).sum(), "said": yes}


def wanted_reading(s, family, wanted, value):
    name, fixed = _FAMILIES[family]
    found = matching(name, _WANTED[wanted], value, fixed=fixed)
    # What is found has what was wanted.
    reading = FAMILIES[name].made(found.value, fixed or 0)
    kind = READINGS[_WANTED[wanted]]
    assert math.isclose(kind.read(reading, kind.at), value, rel_tol=1e-6)
    safe = most if FAMILIES[name].hides else least
    rare = float(reading.tpr(0.001))
    return {"size": safe(found.value), "right": most(0.5 + reading.advantage.value / 2), "rare": most(rare)}


def zero_and_zero(s, printed, draw):
    tables = {"page one": partition_mechanism(3), "page two": design_bit()}
    table = tables.get(printed, joint_table(*tables.values()))
    fits = table[:, table[draw - 1].argmax()] > 0
    left, hers = int(fits.sum()), int(subsets(6)[fits, -1].sum())
    assert s.x("left").size == 3 * left
    return {"left": left, "hers": hers, "right": max(hers, left - hers) / left}
