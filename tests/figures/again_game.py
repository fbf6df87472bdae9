"""The values of the figures of the game, computed again."""

import math
from itertools import combinations

import numpy as np
from again import about, every, least, most
from scipy.special import log_ndtr, logsumexp, ndtr, ndtri

from mipbook import audit, game, mip, mis, tradeoff
from mipbook.figures.game.membership_game import _played
from mipbook.figures.game.scores_lab import EXAMPLE_AUDITS, _example

_DELTA = 1e-5
_INCOMES = np.array([31, 34, 36, 38, 40, 41, 43, 46, 49, 92.0])
_INDEX = {"Anna": 0, "Finn": 5, "Ines": 8, "Zoe": 9}


def _proved(tp, fn, fp, tn, delta):
    return [least(game.epsilon_lower_bound(tp, fn, fp, tn, delta, steps=steps)) for steps in (1, 2)]


def attack_backwards(s, tpr, fpr, games, delta):
    tp, fp = round(tpr * games), round(fpr * games)
    found, luck, accused, more = (
        s.x(name).size // 6 for name in ("found", "found, perhaps", "accused", "accused, perhaps")
    )
    assert (found + luck, accused) == (round(100 * tpr), round(100 * fpr))
    assert accused + more <= 100
    certified, _ = _proved(tp, games - tp, fp, games - fp, delta)
    proved = {"proved.least": certified, "point.least": least(game.epsilon_from_rates(tpr, fpr, delta))}
    return proved | {"certified": certified, "tp": tp, "fp": fp, "accused": fpr, "found": tpr}


def attack_counts(s, tp, fn, fp, tn, delta):
    certified, halved = _proved(tp, fn, fp, tn, delta)
    (fpr,), (tpr,) = s.xy("the attack")
    # The box of where the true rates lie; its left side may be beyond the axis.
    left, right, *_ = s.x("where the true rates lie (95% box)")
    low, _, high, *_ = s.y("where the true rates lie (95% box)")
    bands = [game.clopper_pearson(*each) for each in ((tp, tp + fn), (fp, fp + tn))]
    table = {
        "members found, TPR": map(about, (tpr, *bands[0][:2])),
        "wrong accusations, FPR": map(about, (fpr, *bands[1][:2])),
        "advantage, TPR − FPR": map(about, (tpr - fpr, low - right, high - (left if left > 1e-9 else 0))),
        "accuracy at equal odds": [about((1 + tpr - fpr) / 2)],
        "ε, rates taken as exact": [least(game.epsilon_from_rates(tpr, fpr, delta))],
    }
    told = {"members": tp + fn, "others": fp + tn, "certified": certified, "halved": halved, "table": table}
    return told | every(about, fpr=fpr, tpr=tpr)


def attack_scores(s, file, larger_means, delta, confidence):
    scores, member, *_ = _example(file)
    scores = scores if larger_means == "member" else -scores
    curve = game.roc(scores, member)
    x, y = s.xy("the attack (estimate)")
    assert np.allclose(y, curve.tpr_at(x), atol=5e-5)
    run = game.certify_epsilon(scores, member, np.random.default_rng(51), delta, confidence)
    twice = game.epsilon_lower_bound(run.tp, run.fn, run.fp, run.tn, delta, confidence, steps=2)
    # The best that the scores find at that rate, in steps.
    cut = np.sort(scores[~member])[-int(0.01 * (~member).sum() + 1e-9) - 1]
    found, gaps = (scores[member] > cut).mean(), curve.tpr - curve.fpr
    # The area, by pairs: a member's score is the larger one, or of equal ones a coin decides.
    ties = [np.searchsorted(np.sort(scores[~member]), scores[member], side) for side in ("left", "right")]
    table = {
        f"TPR at FPR {100 * at:.4g}%": map(about, (curve.tpr_at(at), *curve.tpr_band(at, confidence)))
        for at in (0.001, 0.01, 0.1)
    } | {
        "area under the curve, AUC": [about(np.mean(ties) / (~member).sum())],
        "advantage, largest TPR − FPR": map(about, (gaps.max(), *curve.advantage_band(confidence)[:2])),
        "ε, all thresholds at once": [least(curve.epsilon_lower_bound(delta, confidence))],
        "ε, if a record was replaced, under add or remove": [least(float(twice))],
    }
    low, high = curve.tpr_band(0.01, confidence)
    counts = {"members": member.sum(), "others": (~member).sum(), "accused": 0.01, "fpr": 0.01}
    proven = {"table": table, "proven": least(run.epsilon), "sure": confidence}
    proven |= {"points": {"the edge, named": [proven["proven"]]}}
    return counts | proven | every(about, found=found, tpr=found, low=low, high=high)


def four_spies(sigma):
    return {
        "rounds": 100,
        "insider": 100 * ndtr((92 - 31) / 5 / (2 * sigma)),
        "you": 100 * max(mip.noisy_mean_accuracy(_INCOMES, index, sigma) for index in range(10)),
        "one": 100 * mip.noisy_mean_silent_accuracy(_INCOMES, 9, sigma, 0.01),
        "stranger": 50 + 50 * mis.noisy_mean_deltas(_INCOMES, 5, sigma).mean(),
    }


def guess_round(s, sigma, target, line):
    index, released = _INDEX[target], s.x("the published number")[0]
    chance = mip.noisy_mean_posterior(_INCOMES, index, released, sigma)
    # In is said where the number falls more often with the target than without.
    fives = [(index in five, np.mean(_INCOMES[list(five)])) for five in combinations(range(10), 5)]
    above = [sum(ndtr((mean - line) / sigma) for has, mean in fives if has == side) for side in (True, False)]
    said, other = (s.x(f"you say {each}") for each in ("in", "out"))
    assert {line} <= {*said} & {*other}
    assert (said.sum() > other.sum()) == (above[0] >= above[1])
    return {
        "income": s.x(f"your target, {target}")[0],
        "released": released,
        "chance": max(chance, 1 - chance),
        "win.best": mip.noisy_mean_accuracy(_INCOMES, index, sigma),
        "rule": mip.noisy_mean_line_accuracy(_INCOMES, index, sigma, line),
    }


def many_rounds(s, rounds, sigma, target):
    names = f"with {target}", f"without {target}"
    curves = [s.y(f"{name}, expected")[::2] for name in names]
    best = mip.noisy_mean_accuracy(_INCOMES, _INDEX[target], sigma)
    assert all(abs(curve.sum() - 500) < 1 for curve in curves)
    # In steps of two thousand a little of the difference is lost.
    assert best - 0.04 < np.maximum(*curves).sum() / 1000 < best + 1e-9
    played = [np.sum(s.trace(name)["customdata"]) for name in names]
    assert [s.y(name).sum() + s.y("both heaps").sum() for name in names] == played
    # The likelier side of each number, over all halves.
    was_in, means, noise = (each[:rounds] for each in _played(target))
    halves = np.array([np.isin(np.arange(10), half) for half in combinations(range(10), 5)])
    far = (means + sigma * noise)[:, None] - halves @ _INCOMES / 5
    logs = np.array(
        [logsumexp(-0.5 * (far / sigma) ** 2, b=halves[:, _INDEX[target]] == side, axis=1) for side in (1, 0)]
    )
    hits = np.sum((logs[0] > logs[1]) == was_in)
    return {"rounds": sum(played), "inside": played[0], "best": best, "hits": hits}


def half_sample(s, n):
    # There are as many marks as records.
    released, hidden = (s.x(name).size for name in ("published", "hidden"))
    lucky = round(s.x("the luckiest of a million")[0] * n / 100)
    bars = s.trace("how likely so many are right")
    chances = np.asarray(bars["customdata"], dtype=float)
    assert abs(chances.sum() - 1) < 1e-9
    assert abs(np.dot(bars["x"], chances) * n / 100 - (n + released) / 2) < 1e-5 * n
    assert game.reconstruction_probability(n, released, 0.5, lucky / n) >= 1e-6
    assert lucky == n or game.reconstruction_probability(n, released, 0.5, (lucky + 1) / n) < 1e-6
    assert released + s.x("the luckiest: right").size == lucky
    chance = game.reconstruction_probability(n, released, 0.5, 0.95)
    spies = chance if 1e-3 <= chance < 0.6 else 1 / (chance or 1)
    told = {"released": released, "hidden": hidden, "exposed.released": released, "luckiest": lucky}
    told |= {"some": s.x("30 spies").size, "wrong": s.x("the luckiest: wrong").size}
    told |= {"blatant": s.x("95%, a line")[0], "takes.spies": spies}
    return told | {"takes.needed": math.ceil(0.95 * n)}


def roc_plane(s, epsilon, delta, sigma):
    x, spy = s.xy("best spy on this noise (exact)")
    assert np.allclose(spy, ndtr(ndtri(x) + 1 / sigma), rtol=1e-9)
    lit = np.isfinite(s.y("outside the promise (exact)"))
    assert (lit == (spy > tradeoff.dp_tpr(x, epsilon, delta) * (1 + 1e-9))).all()
    # Nothing below the promise is left orange: its cover goes down to the axis.
    assert (s.x("covered")[-1], s.y("covered")[-1]) == (0, 0)
    more = ndtr(0.5 / sigma - epsilon * sigma) - math.exp(epsilon) * ndtr(-0.5 / sigma - epsilon * sigma)
    needed = tradeoff.gaussian_epsilon(delta, sigma=sigma)
    broken = {"fits.more": 100 * (more - delta), "verdict.fits.needed": needed}
    told = {"allowed": most(100 * tradeoff.dp_tpr(0.01, epsilon, delta)), "accused": 100}
    told |= {"best": 100 * ndtr(ndtri(0.01) + 1 / sigma), "delta": delta, "sigma": sigma, "epsilon": epsilon}
    return told | (broken if needed > epsilon else {"fits.needed": needed})


def for_one(s, epsilon, sigma):
    # The spy's best ratio, by trying every threshold.
    at = np.linspace(-8, 0, 80_001)
    best = ((ndtr(at + 1 / sigma) - _DELTA) / ndtr(at)).max()
    covered = sum(s.x(f"spared, {which} at his best").size for which in ("their ground", "the last"))
    size, allowed = s.x("found at his best").size - covered, math.exp(epsilon)
    # A dot is beyond the fence just where the promise is broken.
    assert abs(size - best) < 1
    assert (size > allowed) == (best > allowed)
    # The fence goes around all that are allowed, in rows of five, the beginning of the last one left.
    x, y = s.xy("found at his best")
    across, up = (side[-8:-1] for side in s.xy("the fence (bound)"))
    within = (y < up[4]) | ((y < up[1]) & (x < across[2]))
    assert within.sum() == min(math.floor(allowed), y.size)
    assert s.x("beyond at his best").size == (~within).sum()
    assert math.isclose(s.y("the fence, its rail")[1], allowed / 5)
    rare = 1 / ndtr(-math.log(best) * sigma - 0.5 / sigma)
    often = (ndtr(ndtri(0.1) + 1 / sigma) - _DELTA) / 0.1
    told = {"allowed": most(math.exp(epsilon)), "best": best, "rare": rare, "often": often}
    return told | {"needed": math.log(best), "sigma": sigma, "spared": 1 / _DELTA}


def same_advantage(s, accused, listed):
    fpr, advantage = accused / 1000, listed / 1000
    # The two best attackers on the noise differ by this many deviations.
    shift = -2 * ndtri((1 - advantage) / 2)
    noisy, few = ndtr(ndtri(fpr) + shift), fpr + advantage * (1 - fpr)
    # A dot stands for ten people, the last perhaps for fewer.
    for name, rate in (("found in the fog", noisy), ("found with the list", few)):
        assert -1e-6 < len(s.x(name)) - 100 * rate < 1
    assert s.x("innocent, accused")[-1] == accused
    return {"right": (1 + advantage) / 2, "accused": fpr, "noisy": noisy, "few": few}


def own_line(s, line, person):
    who, halves = _INDEX[person], mip.subsets(10)
    above = 1 if person in ("Ines", "Zoe") else -1
    beyond = ndtr((halves @ _INCOMES / 5 - line) / 4.0 * above)
    found, accused = (100 * beyond[halves[:, who] == there].mean() for there in (True, False))
    assert abs(s.y("this line")[0] - found) < 0.05
    return {"found": found, "accused": accused, "line": line, "right": (100 + found - accused) / 200}


def score_audit(s, file, larger_means, fpr, delta, confidence):
    scores, member, other, canary, odd = _example(file)
    sign = 1 if larger_means == "member" else -1
    options = {"delta": delta, "confidence": confidence, "canary": canary}
    options["other"] = None if other is None else sign * other
    found = audit.audit_scores(sign * scores, member, np.random.default_rng(61), **options)
    values = {"at": fpr, "fpr": fpr, "sure": confidence, "proven": least(found.certificate.epsilon)}
    for name, line, given in (("found", "the attack", scores), ("second", "second attack", other)):
        if given is not None:
            curve, (x, y) = game.roc(sign * given, member), s.xy(f"{line} (estimate)")
            assert np.allclose(y, np.maximum(curve.tpr_at(x), 5e-5), rtol=1e-6)
            low, high = curve.tpr_band(fpr, confidence)
            ends = {"rate": curve.tpr_at(fpr), "low": low, "high": high}
            values |= {f"rates.{name}.{end}": about(rate) for end, rate in ends.items()}
    kinds = {"plain": member}
    if file == EXAMPLE_AUDITS[0]:
        each = {"odd": odd, "canaries": canary, "plain": ~canary & ~odd}
        kinds = {name: member & kind for name, kind in each.items()}
        values |= {"count": canary.sum(), "proven": least(found.canaries.epsilon)}
    # So many strangers may be accused, and the next one not.
    last = -np.sort(-sign * scores[~member])[int(fpr * (~member).sum() + 1e-9)]
    told = {name: about((sign * scores[kind] > last).mean()) for name, kind in kinds.items()}
    values |= {f"kinds.{name}": share for name, share in told.items()}
    return {**values, "rate": values["rates.found.rate"], "points": {"found, told": list(told.values())}}


def tracing(s, threshold, k, sigma):
    signal, at = math.sqrt(k) / (100 * sigma), threshold / (math.sqrt(k) * sigma)
    fpr, tpr = ndtr(-at), ndtr(signal - at)
    # Two bells lie on their sides, as high as the questions that were asked.
    for name, middle in (("Zoe is out (exact)", 0), ("Zoe is in (exact)", k / 100)):
        bell = np.exp(-((s.y(name) - middle) ** 2) / (2 * k * sigma**2))
        assert np.allclose((s.x(name) - k) / 105, bell, atol=1e-6)
    assert s.x("accused, though they took no part").size // 6 == round(1000 * fpr)
    proven = game.epsilon_from_rates(tpr, fpr, _DELTA)
    told = {"shift": k / 100, "delta": _DELTA, "own": tradeoff.gaussian_epsilon(_DELTA, sigma=1 / signal)}
    told |= {"tpr": tpr, "accused": fpr, "fpr": fpr} | ({"found": tpr} if tpr >= 5e-4 else {})
    if proven:
        told |= {"proven.least": least(proven), "often.times": max(tpr / fpr, (1 - fpr) / (1 - tpr))}
    return told


def raised_by_a_factor(s, decoys):
    with_her, without = (s.x(name).size for name in ("with Zoe", "without Zoe"))
    odds = np.array([[1 - without / 100, without / 100], [1 - with_her / 100, with_her / 100]])
    told = {"fits.factor": with_her / without} if without else {}
    return {"often": with_her, "decoys": without, "right": game.optimal_accuracy(odds), **told}


def questions_paid(s, people, sigma):
    # As many tiles as its outline holds, each as wide as the people that one question takes.
    x, y = s.xy("questions") / (float(tradeoff.gaussian_sigma(1.0, delta=_DELTA)) / sigma)
    count = round(abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2)
    # One question more would take more noise, or more people.
    spent = tradeoff.gaussian_epsilon(_DELTA, sigma=people * sigma / np.sqrt([count, count + 1]))
    assert spent[0] <= 1 < spent[1]
    return {"people": people, "small": 150, "sigma": sigma, "count": count, "delta": _DELTA}


def tracing_law(s, epsilon, sigma, n):
    noise = float(tradeoff.gaussian_sigma(epsilon, delta=_DELTA))
    proven = game.epsilon_from_rates(0.5, ndtr(-1 / noise), _DELTA)
    fixed, paced, attack = "fixed noise: ", "noise that keeps pace: ", "what the attack proves (bound)"
    k, spent = s.xy(f"{fixed}the mechanism's ε (exact)")
    # The same trace for k questions: sqrt(k) / n deviations of one answer's noise apart.
    apart = np.sqrt(k) / (n * sigma)
    assert np.allclose(spent, tradeoff.gaussian_epsilon(_DELTA, sigma=1 / apart), rtol=1e-6)
    assert np.allclose(s.y(f"{fixed}{attack}"), math.log(0.5 - _DELTA) - log_ndtr(-apart), rtol=1e-6)
    assert np.allclose(s.y(f"{paced}{attack}"), proven, rtol=1e-6)
    assert set(s.y(f"{paced}its ε, your budget (exact)")) == {epsilon}
    queries = int((n * sigma / noise) ** 2)
    told = {"delta": _DELTA, "factor": noise, "proven": least(proven), "plain": n}
    return told | {"queries.k": queries, "k": queries, "last": spent[-1]}
