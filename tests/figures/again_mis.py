"""The values of the figures of MIS, computed again."""

import math
from collections import defaultdict

import numpy as np
from again import Must, about, least, most
from scipy.stats import binom, multinomial, ncx2

from mipbook import learners, mis
from mipbook.audit.examples import table_audit
from mipbook.figures.mis.audit import _right
from mipbook.figures.mis.dimension import _MODELS, _NOISES, _RECORDS
from mipbook.figures.mis.mnist import _SETTINGS
from mipbook.figures.mis.overfitting_runs import _NAMES, _seeds, _stored, _trained
from mipbook.figures.mis.security import LEARNERS
from mipbook.learners.base import THRESHOLDS
from mipbook.mis.overfitting import accuracy_from_rates
from mipbook.stored import digits as stored
from mipbook.stored.discretised import LADDER, example_population, known
from mipbook.stored.limits import (
    ADAM_AT,
    ADAM_LEVELS,
    ADAM_RATES,
    FACTORS,
    NEIGHBOUR_DIMENSIONS,
    NEIGHBOUR_SIZES,
    NEIGHBOURS,
    VARIED_AT,
    varied,
)
from mipbook.stored.store import load


def audit_lab(s, file, estimator, models):
    report = table_audit(file, estimator, models).report
    certified, estimate = s.x("Δ (bound)")[0], s.x("attack (estimate)")[0]
    # What the bound on the security says is rounded to a thousandth, that on epsilon to a hundredth.
    security = math.ceil(1000 * (1 - certified) - 1e-9) / 1000
    epsilon = math.floor(100 * report.epsilon_at_least()) / 100 if certified else 0
    return {
        "table": {
            "Δ, at least": [least(certified)],
            "Δ of the attack": [about(estimate)],
            "its t-interval": map(about, report.asymptotic),
        },
        "certified": least(certified),
        "estimate": about(estimate),
        "security": most(security),
        "epsilon": least(epsilon),
        "tested": report.tested,
        "found": about(report.found),
        "accused": about(report.found - estimate),
    }


def audit_bets(s, asked, file, estimator):
    right = s.x("members told right").size + s.x("strangers told right").size
    assert right + s.x("members told wrong").size + s.x("strangers told wrong").size == 40 * asked
    # The whole run's bets: each depends on the number of models, and on those before it.
    scores, coin, total, off, spread = _right(file, estimator) / 40, [1.0], 0.5, 0.05, 0.05
    confidence, goal = 0.95, 20
    for t, score in enumerate(scores, start=1):
        bet = min(math.sqrt(2 * math.log(1 / (1 - confidence)) / (spread * 16)), 1.8)
        coin.append(coin[-1] * (1 + bet * (score - 0.5)))
        total += score
        off += (score - total / (t + 1)) ** 2
        spread = off / (t + 1)
    full = next((t for t, wealth in enumerate(coin) if wealth >= goal - 1e-9), 17)
    return {"of": right, "records": 40 * asked, "coins": coin[asked], "first": full, "goal": goal}


def discretise_lab(s, file, clusters, n):
    (raw, *_), floors = known(file, min(n, example_population(file).pool_size))
    seen, labelled = floors[LADDER.index(clusters)]
    security, right = s.x("your K"), s.y("your K")[0]
    pairs = "atoms: with labels"
    ends = {"few": s.x(pairs)[0], "low": s.y(pairs)[0], "many": s.x(pairs)[-1], "high": s.y(pairs)[-1]}
    values = {"hundred": 100 * right, "right": right, "raw": raw, "star": raw, **ends}
    values |= {"alone": security[0], "labelled": security[1]}
    return {
        **{name: about(value) for name, value in values.items()},
        "table": {
            "accuracy, raw records": [about(raw)],
            f"accuracy, {seen.atoms} clusters": [about(right)],
            "C(K), clusters and labels": [about(labelled.diversity)],
            "security, clusters and labels": [about(security[1])],
            "security, clusters": [about(security[0])],
            "both, at least": [least(labelled.certain)],
        },
        "n": min(n, example_population(file).pool_size),
        "atoms": seen.atoms,
        "wanted": clusters,
        "tests": example_population(file).test.stop,
        "certain": least(labelled.certain),
        "floor": least(seen.certain),
        **{f"made{i}": int(text) for i, text in enumerate(s.trace(pairs)["text"])},
    }


def diversity_band(s, K, place):
    low, high = s.y("at your place")
    largest = 1 / K + (1 - 1 / K) * place
    flat = np.array([largest, *[(1 - largest) / (K - 1)] * (K - 1)])
    for name in ("least", "2 Gini–Simpson", next(t["name"] for t in s.traces if "Shannon" in t["name"])):
        assert (s.y(name) <= s.y("most") + 1e-9).all()
    return {
        "start": 1 / K,
        "top": mis.diversity([1 / K] * K),
        "largest": largest,
        "least": low,
        "most": mis.diversity(flat),
        "factor": (high / low) ** 2 if low else 0,
    }


def dp_security(s, n, epsilon):
    counted, without = s.y("Finn's coin counted"), s.y("not counted")
    steps = s.x("not counted")
    deviation = math.sqrt(without @ steps**2 / without.sum())
    assert math.isclose(deviation, 1)
    return {
        "n": n,
        # By the hills that are drawn: the area of one that is not under the other.
        "right": (1 + np.maximum(counted - without, 0).sum() / without.sum()) / 2,
        "most": most((1 + math.tanh(epsilon / 4)) / 2),
    }


def whose_coin(s, n, round):
    # His goes to its place among them, or a stranger's lies there.
    told = dict(s.layers)["_tossed"].meta
    assert ("Finn's coin" in told["after"][0]["marks"]) == (told["answer"] == "in")
    assert s.x("heads").size + s.x("tails").size == n - 1
    steps = s.x("not counted")
    return {"n": n, "said": n / 2 + s.x("published")[0] / (steps[1] - steps[0])}


def mean_plank(s, n, dimension, place):
    right = (1 + mis.gaussian_mean_delta(n, dimension)) / 2
    wobble = max(s.trace("its usual wobble")["x"][:2])
    here = {}
    if dimension == 1:
        # The two bells with this Zoe, by a sum over the places where the mean may fall.
        grid, centre, variance = np.linspace(-12, 12, 200_001), place / math.sqrt(n), 1 - 1 / n
        inside = np.exp(-((grid - centre) ** 2) / 2 / variance) / math.sqrt(variance)
        apart = np.abs(inside - np.exp(-(grid**2) / 2)).sum() * (grid[1] - grid[0]) / 2
        here = {"here.own": (1 + apart / math.sqrt(2 * math.pi)) / 2}
    return {
        **here,
        "right": right,
        "mark": 50 + s.x("right about anybody, on average").size,
        "share": abs(s.x("the mean")[0]) / wobble,
        "pivot": place / n,
        "low": -wobble,
        "high": wobble,
        "drawn": min(dimension, 7),
    }


def mean_slide(s, n, distance):
    delta = mis.gaussian_mean_delta(n)
    grid = np.linspace(-12, 12, 200_001)
    centre, variance = distance / math.sqrt(n), 1 - 1 / n
    inside = np.exp(-((grid - centre) ** 2) / 2 / variance) / math.sqrt(variance)
    gain = np.maximum(s.y("the record is in") - s.y("the record is out"), 0)
    # Half of the area between the two bells, by a sum.
    apart = np.abs(inside - np.exp(-(grid**2) / 2)).sum() * (grid[1] - grid[0]) / 2 / math.sqrt(2 * math.pi)
    assert math.isclose(np.trapezoid(gain, s.x("the record is in")), apart, abs_tol=2e-3)
    return {
        "centre": centre,
        "variance": variance,
        "apart": Must(apart, within=1e-5),
        "bound": most(mis.near_gaussians_bound(n, distance)),
        "scaled": s.at("√n Δ (exact)", n),
        "first": s.y("√n Δ (exact)")[0],
        "limit": 1 / math.pi,
        "right": (1 + delta) / 2,
    }


def _trained_run(s, run, iteration, threshold):
    """Return what a training run tells, from its curves."""
    row = np.flatnonzero(run.iterations <= iteration)[-1]
    caught, wrong, _ = s.y("your iteration")
    right, curve = accuracy_from_rates(caught, round(wrong * run.drawn), run.drawn), "attack right (estimate)"
    values = {}
    for name, shares in (("half_in", run.train[row]), ("half_out", run.fresh[row])):
        values[f"{name}.level"] = next(
            (at for at, share in zip(run.levels, shares, strict=True) if share >= 0.5), run.levels[-1]
        )
    rates = {"wrong": wrong, "right": (caught + 1 - wrong) / 2, "low": right.low, "high": right.high}
    rates |= {"best": s.y(curve).max(), "end_out": s.y("fresh below")[-1], "end_right": s.y(curve)[-1]}
    return {
        **values,
        "iteration": s.x("your iteration")[0],
        "threshold": s.x("threshold")[0],
        "members": run.members,
        "caught": caught,
        "end_in": s.y("members below")[-1],
        "at": s.x(curve)[s.y(curve).argmax()],
        **{name: about(rate) for name, rate in rates.items()},
    }


def mis_figure_1(s, iteration, threshold):
    run = _stored()
    row = np.flatnonzero(run.iterations <= iteration)[-1]
    for name, shares in (("members' losses", run.train[row]), ("fresh losses", run.fresh[row])):
        # The last point only closes the outline.
        assert np.allclose(np.cumsum(s.y(name)[:-1])[:-1], shares, atol=1e-3)
    shares, most_of_all, reached = (each[..., run.column(threshold)] for each in _seeds())
    here = shares[:, run.row(iteration)]
    seen = {"least": here.min(), "most": here.max(), "nearly": (reached >= 0).sum()}
    seen["every"] = (most_of_all == 1).sum()
    told = {"runs": len(here), **{name: about(each) for name, each in seen.items()}}
    return _trained_run(s, run, iteration, threshold) | told


def mis_figure_1_vary(s, vary, factor, iteration, threshold):
    name = _NAMES[vary]
    run, settings = load(f"overfitting_1_vary_{name}").arrays, varied(name, factor)
    row, level = VARIED_AT.index(iteration), THRESHOLDS.index(threshold)

    def counted(at):
        counts = (run[side][FACTORS.index(at), :, row, level] for side in ("train", "validation"))
        inside, outside = (
            count / varied(name, at)[of] for count, of in zip(counts, ("n", "fresh"), strict=True)
        )
        return inside, outside, (inside + 1 - outside) / 2

    inside, outside, right = counted(factor)
    rates = {"caught": inside.mean(), "wrong": outside.mean(), "right": right.mean()}
    rates |= {"low": right.min(), "high": right.max()}
    rates |= {end: counted(at)[2].mean() for end, at in (("first", FACTORS[0]), ("last", FACTORS[-1]))}
    assert math.isclose(s.at("members below", iteration), rates["caught"], abs_tol=6e-4)
    return {
        **{key: about(rate) for key, rate in rates.items()},
        "value": settings[name],
        "base": varied(name, 1.0)[name],
        "paper": {"n": 1000, "width": 4096, "noise": 0.1, "rate": 0.1, "dimension": 10, "fresh": 1000}[name],
        "seeds": len(inside),
    }


def _own(vary, to, sizes, n):
    """Return the records, the noise and the models of a state of Figure 2a or 2b."""
    given = {
        "n": n,
        "noise": 0.1,
        "models": max(_MODELS),
        vary: {"n": sizes, "noise": _NOISES, "neighbours": NEIGHBOURS}.get(vary, _MODELS)[to],
    }
    return [given[name] for name in ("n", "noise", "models")]


def _measured(figure, d, models, threshold):
    """Return what the first models count at a dimension."""
    run = load(f"overfitting_{figure}").arrays
    place = run["dimensions"].tolist().index(d), run["thresholds"].tolist().index(threshold)
    found = sorted(run["validation"][place[0], :models, place[1]].astype(float))
    values = {"share": about(sum(found) / models), "low": about(found[0]), "high": about(found[-1])}
    return {f"measured.{name}": value for name, value in {**values, "models": models}.items()} | {
        "dots.models": models
    }


def mis_figure_2a(s, vary, to, threshold):
    n, noise, models = _own(vary, to, _RECORDS, 200)
    inside, outside = "members (exact)", "fresh (exact)"
    right, later = ((s.at(inside, d) + 1 - s.at(outside, d)) / 2 for d in (n, 2000))
    law = learners.residual_law(n, n, math.pi**2 / n, noise, of="test")
    return {
        **_measured("2a", 200, models, threshold),
        "n": n,
        "noise": noise,
        "caught": law.below(threshold),
        "wide": 2000,
        "right": right,
        "beyond": later,
        "first": s.y(inside)[0],
        "least": s.y(outside).min(),
        "most": s.y(outside).max(),
    }


def mis_figure_2a_adam(s, rate, iteration, threshold):
    run = load("overfitting_2a_adam").arrays
    at = ADAM_AT.index(iteration), ADAM_RATES.index(rate), ADAM_LEVELS.index(threshold)
    inside, fresh = (run[side][:, :, *at] / count for side, count in (("train", 200), ("validation", 1000)))
    here, there = (run["dimensions"].tolist().index(d) for d in (400, 200))
    rates = {"inside": inside[here].mean(), "stuck": inside[there].mean(), "fresh": fresh[here].mean()}
    rates |= {"low": fresh[here].min(), "high": fresh[here].max()}
    assert math.isclose(s.at("fresh, Adam (estimate)", 400), rates["fresh"], abs_tol=6e-4)
    solved = learners.residual_law(200, 400, math.pi**2 / 400, 0.1).below(threshold)
    return {**{name: about(value) for name, value in rates.items()}, "solved": solved, "models": 2}


def _close(shifts, spread, threshold):
    """Return how often a normal error around each of the shifts is small, by the chi-squared law."""
    return ncx2.cdf(threshold / spread**2, 1, np.maximum(shifts / spread, 1e-9) ** 2).mean()


def mis_figure_2b(s, vary, to, threshold):
    averaged = NEIGHBOURS[to] if vary == "neighbours" else 1
    n, noise, models = _own(vary, to, NEIGHBOUR_SIZES, 1000)
    right, fresh = s.y("attack right (estimate)"), s.y("fresh (estimate)")
    inside = s.y(f"members ({'exact' if averaged == 1 else 'estimate'})")
    dimensions, kept = s.x("fresh (estimate)"), load("overfitting_2b_shifts").arrays
    shifts = kept["by_n"][0, NEIGHBOUR_SIZES.index(n)] if averaged == 1 else kept["by_k"][0, averaged - 1]
    own = _close(shifts.astype(float), noise * math.sqrt(1 + 1 / averaged), threshold)
    assert math.isclose(fresh[0], own, rel_tol=1e-6)
    rates = {"low": right.min(), "high": right.max(), "lowest": right.min(), "highest": right.max()}
    rates |= {"least": fresh.min(), "most": fresh.max(), "ten": s.at("fresh (estimate)", 10)}
    if averaged == 1:
        assert (inside == 1).all()
    else:
        members = kept["members"][NEIGHBOUR_DIMENSIONS.index(10), averaged - 1].astype(float)
        rates["itself.own"] = _close(members, noise * math.sqrt(1 - 1 / averaged), threshold)
        rates |= {"throughout.bottom": inside.min(), "throughout.top": inside.max()}
    places = {"worst": dimensions[right.argmin()], "best": dimensions[right.argmax()]}
    counted = _measured("2b", 10, models, threshold)
    return {
        **{name: about(rate) for name, rate in rates.items()},
        **places,
        **counted,
        "n": n,
        "itself.n": n,
        "itself.mean": averaged,
        "noise": noise,
    }


def mnist_training(s, vary, factor):
    name = _SETTINGS[vary]
    run = load(f"table1_vary_{name}").arrays["raw"].astype(float)[stored.FACTORS.index(factor)]
    raw, right = s.y("your setting")
    curves = {"raw_": s.y("raw digits (estimate)"), "": s.y("centroids (estimate)")}
    rates = {f"{side}{end}": y[at] for side, y in curves.items() for end, at in (("first", 0), ("last", -1))}
    rates |= {"right": right, "raw": raw, "low": run[:, 1].min(), "high": run[:, 1].max()}
    rates |= {"least": run[:, 0].min(), "most": run[:, 0].max()}
    kept = {"value": stored.varied(name, factor), "base": stored.varied(name, 1.0), "clusters": 30}
    return {**{key: about(rate) for key, rate in rates.items()}, **kept, "trials": len(run)}


def mnist_weights(s, n, nu, lam):
    a, b = (lam * (1 - nu), (1 - lam) * nu)
    a, b = a / (a + b), b / (a + b)
    ten = stored.ladder().pool[10]
    securities = {
        name: np.mean([mis.worst_case_security(law / law.sum(), n, nu, lam) for law in laws])
        for name, laws in (("alone", ten.sum(axis=2)), ("labelled", ten.reshape(len(ten), -1)))
    }
    return {"a": a, "b": b, "most": 300, "last": s.y("with labels (exact)")[-1], **securities}


def _mnist(n):
    """Return the numbers of Table 1 at a size, by row."""
    run, raw = stored.table1(), stored.table1().raw_law()
    row, table = run.sizes.index(n), {}
    for name, values in (("raw test", run.raw), ("centroids", run.centroids)):
        columns = 100 * values[:, row]
        pairs = zip(columns.mean(axis=0), columns.std(axis=0, ddof=1), strict=True)
        table[f"right, {name} (estimate)"] = [about(value) for pair in pairs for value in pair]
    for of_what in ("clusters", "clusters and labels"):
        diversity = [mis.diversity(raw), *(run.diversity(number, of_what).mean() for number in run.clusters)]
        security = [run.security(number, n, of_what).mean() for number in run.clusters]
        table[f"C(K), {of_what} (exact)"] = diversity
        table[f"security, {of_what} (exact)"] = [1 - float(mis.worst_case_delta(raw, n)), *security]
    return table


def mnist_table(s, clusters, n):
    accuracy = stored.ladder().raw[:, stored.table1().sizes.index(n), stored.CLUSTERINGS.index(clusters)]
    security = stored.ladder().security(n, "clusters and labels")[:, stored.CLUSTERINGS.index(clusters)]
    ends = s.trace("to its centre")["x"][1::3]
    right = 100 * accuracy.mean(), 100 - 50 * security.mean()
    rows = [s.x("the network reads").size, 50 + s.x("a spy is right, at most").size]
    assert rows == [round(each) for each in right]
    return {
        "hundred": about(right[0]),
        "spied": right[1] / 100,
        "blurs": len(set(ends)),
        "raw": about(s.x("read from real digits")[0]),
        "share.n": n,
        **({"share.heap": n / clusters} if n >= clusters else {}),
    }


def mnist_trade_off(s, n):
    alone, labelled, right = s.x("atoms: clusters"), s.x("atoms: with labels"), s.y("atoms: clusters")
    rates = {"right": right[0], "few": right[0], "many": right[-1], "cost": 100 * (right[-1] - right[0])}
    rates |= dict.fromkeys(("raw", "star"), s.y("raw digits")[0])
    return {
        "table": _mnist(n),
        **{name: about(rate) for name, rate in rates.items()},
        "safe": alone[0],
        "first": alone[0],
        "last": alone[-1],
        "pairs": labelled[-1],
        "gain": alone[0] - alone[-1],
        "more": labelled[0] - labelled[-1],
        "least": s.x("raw digits")[0],
    }


def a_model_remembers(s, steps, off):
    # By the sticks from the people to the curve that are drawn.
    sticks = np.abs(np.diff(s.y("off by").reshape(-1, 3)[:, :2].astype(float)))[:, 0]
    ages, patients = s.x("off by").reshape(-1, 3)[:, 0].astype(float), {}
    for name in ("patients", "others"):
        patients[name] = sticks[np.abs(ages - s.x(name)[:, None]).argmin(axis=1)]
    inside, outside = patients.values()
    rights = {line: (inside <= line).sum() + (outside > line).sum() for line in np.arange(1, 31) / 2}
    best = max(rights, key=lambda line: (rights[line], line))
    return {
        "right": rights[off],
        **({} if max(rights.values()) == 12 else {"best_of.best": best, "best_of.most": rights[best]}),
        "caught": (inside <= off).sum(),
        "wrong": (outside <= off).sum(),
        "farthest": inside.max(),
        "strangers": outside.max(),
        "all": inside.size + outside.size,
        "half": inside.size,
    }


def security_roc(s, nu, lam, learner):
    (fpr,), (tpr,) = s.x("best attack (exact)"), s.y("best attack (exact)")
    a, b = (float(weight) for weight in mis.weights(nu, lam))
    best, constant = a * tpr + b * (1 - fpr), max(a, b)
    for name, level in (("the best attack", best), ("never looking", constant)):
        x, y = s.xy(f"as good as {name}")
        assert np.allclose(a * y + b * (1 - x), level, atol=1e-9)
    values = {"slope": b / a, "least": constant, "best": best, "fpr": fpr, "tpr": tpr}
    gain = (best - constant) / min(a, b)
    hidden = Must((s.y("all attacks (exact)") - s.x("all attacks (exact)")).max())
    return {**values, "security": 1 - gain, "gain": gain, "hidden": hidden}


def ten_cities(s, n, draw):
    # Half of what a stranger's city and a member's differ by, over all counts of one city.
    counts = np.arange(n + 1)
    strays = np.abs(counts / n - 1 / 10) @ binom.pmf(counts, n, 1 / 10)
    # His words stand beside the counts; five others come from each city of fifty.
    drawn, others = np.array(s.trace("below")["customdata"], dtype=int), n // 10
    says_in = drawn > others
    words = {"<b>“in”</b>": says_in, "<b>“out”</b>": ~says_in}
    for word, where in words.items():
        assert [each == word for each in s.trace("he says")["text"]] == where.tolist()
    won = drawn[says_in].sum() + others * (~says_in).sum()
    assert len(s.x("earlier draws")) == draw - 1
    return {"right": 50 + 50 * 10 * strays / 2, "hits": 50 * won / n, "won": won, "n": n, "over": won - n}


# A disc, a ring, and a ring with a cross.
_SIGNS = ["circle", "circle-open", "circle-cross-open"]


def security_robot(s, nu, learner):
    p, n = (0.5, 0.3, 0.2), 5
    drawn, fresh = defaultdict(float), defaultdict(float)
    for counts in _counts(n):
        weight = multinomial.pmf(counts, n, p)
        released = LEARNERS[learner](counts)
        for value, chance in (released if isinstance(released, dict) else {released: 1}).items():
            for kind in range(3):
                drawn[value, kind] += weight * chance * counts[kind] / n
                fresh[value, kind] += weight * chance * p[kind]
    best = sum(max((1 - nu) * drawn[each], nu * fresh[each]) for each in drawn)
    ball, *card = (
        [_SIGNS.index(sign) for sign in s.trace(name)["marker"]["symbol"]]
        for name in ("in your hand", "in the tray", "on the card")
    )
    tray = tuple(np.bincount(card[0], minlength=3).tolist())
    value = card[1][0] if learner == "one ball" else LEARNERS[learner](tray)
    member, other = (1 - nu) * drawn[value, ball[0]], nu * fresh[value, ball[0]]
    return {
        "low": s.x("without the card").size,
        "fresh": nu,
        "lazy": max(nu, 1 - nu),
        "best": best,
        "more": 100 * (best - max(nu, 1 - nu)),
        "chance": 100 * member / (member + other),
    }


def _counts(n):
    return [(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)]


def three_slopes(s, alpha, p, nu):
    five = (0.5, 0.25, 0.125, 0.0625, 0.0625)
    return {
        "heavy": s.at("infinitely many", 1000),
        "five": mis.worst_case_delta(five, 1000),
        "mixed": mis.worst_case_delta(five, 1000, nu),
        "product": mis.product_delta(p, 1000),
        "exponent": mis.power_law_exponent(alpha),
    }


def train_and_attack(s, n, width, iteration, threshold):
    return _trained_run(s, _trained(n, width), iteration, threshold)


def two_mistakes(s, error, ribbon):
    # Who lie beside the edge cost no more than the training error; no more others are inside than told.
    assert np.mean(np.maximum(-s.y("patients") - 0.12, 0) ** 2) <= error * (1 + 1e-9)
    assert np.mean(np.abs(s.y("others")) <= ribbon) <= 2 * ribbon / math.sqrt(2 * math.pi)
    missed, accused = min(1, error / ribbon**2), 2 * ribbon / math.sqrt(2 * math.pi)
    right = 1 - (missed + accused) / 2
    widths = np.arange(1, 21) / 20
    best = widths[np.argmin(error / widths**2 + 2 * widths / math.sqrt(2 * math.pi))]
    return {
        "missed": most(100 * missed), "accused": most(100 * accused), "right": least(right),
        "error": error, "crowd": s.x("patients").size,
    } | ({} if ribbon == best else {"fewest.best": best})  # fmt: skip
