"""The values of the figures of MIS, computed again."""

import math
from collections import defaultdict

import numpy as np
from again import Must, about, every, least, most
from scipy.optimize import brentq
from scipy.special import erf
from scipy.stats import binom, multinomial, ncx2, norm

from mipbook import learners, mis
from mipbook.audit import mean_lower_bound
from mipbook.audit.examples import learnt_rule, table_audit
from mipbook.figures.mis.audit import _right
from mipbook.figures.mis.dimension import _MODELS, _NOISES, _RECORDS
from mipbook.figures.mis.discrete import _dealt
from mipbook.figures.mis.mnist import _SETTINGS
from mipbook.figures.mis.overfitting_runs import _NAMES, _seeds, _stored, _trained
from mipbook.figures.mis.security import LEARNERS
from mipbook.learners.base import THRESHOLDS
from mipbook.mis.overfitting import accuracy_from_rates
from mipbook.stored import limits
from mipbook.stored.limits import LAB_CLUSTERS, example_population, known
from mipbook.stored.store import load


def audit_lab(s, file, estimator, models):
    report = table_audit(file, estimator, models).report
    certified, estimate = s.x("Δ (bound)")[0], s.x("attack (estimate)")[0]
    # What the bound on the security says is rounded to a thousandth, that on epsilon to a hundredth.
    security = math.ceil(1000 * (1 - certified) - 1e-9) / 1000
    epsilon = math.floor(100 * report.epsilon_at_least()) / 100 if certified else 0
    # A worse one than a coin has an estimate of 0.
    accused = report.found - estimate if estimate else report.accused
    assert estimate or accused >= report.found
    found = every(about, estimate=estimate, found=report.found, accused=accused)
    table = {
        "Δ, at least": [least(certified)],
        "Δ of the attack": [about(estimate)],
        "its t-interval": map(about, report.asymptotic),
    }
    proved = every(least, certified=certified, epsilon=epsilon, right=(1 + certified) / 2)
    return found | proved | {"table": table, "security": most(security), "tested": report.tested}


def audit_bets(s, asked, file, estimator):
    # Those of the last model are seen.
    hits = s.x("members told right").size + s.x("strangers told right").size
    assert hits + s.x("members told wrong").size + s.x("strangers told wrong").size == 40
    assert hits == _right(file, estimator)[asked - 1]
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
    assert full > 16 or set(s.x("she believes it")) == {full}
    # A full pile is kept to the end.
    assert np.allclose(s.y("her coins"), coin[1 : 1 + min(full, asked)], rtol=1e-3)
    assert full > asked or np.allclose(s.y("and keeps them"), coin[full], rtol=1e-9)
    told = {"of": _right(file, estimator)[:asked].sum(), "records": 40 * asked, "coins": coin[asked]}
    return told | {"first": full, "goal": goal, "points": {"the last": [asked, hits, 40]}}


def audit_peek(s, cuts):
    # Each model has a member and a stranger, in the order in which they were drawn.
    drawn = np.random.default_rng(7).standard_normal((20, 2))
    right = [np.isin(drawn[:, i], s.x(f"{who} told right")) for i, who in enumerate(("members", "strangers"))]
    assert s.x("members told wrong").size + s.x("strangers told wrong").size == 40 - np.sum(right)
    claimed = max(0, 2 * mean_lower_bound(np.mean(right, axis=0)) - 1)
    told = {"same": np.mean(right), "coin": 0.5, "models": 20, "claimed": least(claimed)}
    return told | {"cuts": learnt_rule(cuts).cuts.size}


def discretise_lab(s, file, clusters, n):
    population = example_population(file)
    records = min(n, len(population.pool.y))
    (raw, *_), floors = known(file, records)
    seen, labelled = floors[LAB_CLUSTERS.index(clusters)]
    alone, pairs, right = *s.x("your K"), s.y("your K")[0]
    (few, *_, many), (low, *_, high) = s.xy("with labels")
    values = every(
        about, hundred=100 * right, safe=pairs, right=right, raw=raw, star=raw, alone=alone, labelled=pairs
    )
    values |= every(about, few=few, low=low, many=many, high=high)
    values |= every(least, certain=labelled.certain, floor=seen.certain)
    made = {f"made{i}": int(text.split()[-1]) for i, text in enumerate(s.trace("with labels")["text"])}
    counts = {"n": records, "atoms": seen.atoms, "wanted": clusters, "tests": len(population.test.y)}
    return values | made | counts


def diversity_band(s, K, place):
    low, high = s.y("at your place")
    largest = 1 / K + (1 - 1 / K) * place
    flat = np.array([largest, *[(1 - largest) / (K - 1)] * (K - 1)])
    for name in ("least", "2 Gini–Simpson", next(t["name"] for t in s.traces if "Shannon" in t["name"])):
        assert (s.y(name) <= s.y("most") + 1e-9).all()
    told = {"start": 1 / K, "top": mis.diversity([1 / K] * K), "largest": largest, "least": low}
    return told | {"most": mis.diversity(flat), "factor": (high / low) ** 2 if low else 0}


def dp_security(s, n, epsilon):
    counted, without = s.y("Finn's coin counted"), s.y("not counted")
    steps = s.x("not counted")
    assert math.isclose(math.sqrt(without @ steps**2 / without.sum()), 1)
    # By the hills that are drawn: the area of one that is not under the other.
    right = (1 + np.maximum(counted - without, 0).sum() / without.sum()) / 2
    # What sticks out in blue is that area.
    assert math.isclose(s.y("Finn's is higher").sum() / without.sum(), 2 * right - 1, rel_tol=2e-3)
    return {"n": n, "right": right, "most": most((1 + math.tanh(epsilon / 4)) / 2)}


def one_bit(s, heads):
    assert s.x("heads").size == heads == 19 - s.x("tails").size
    yes, no = (s.trace(f"the bit, {side}")["text"] for side in ("heads", "tails"))
    told = {"here": (1 + (list(yes) != list(no))) / 2, "ever": 50 * (1 + 2.0**-20)}
    return told | {"often": math.comb(19, heads) / 2**19}


def whose_coin(s, n, round):
    # His goes to its place among them, or a stranger's lies there.
    told = dict(s.layers)["_tossed"].meta
    assert ("Finn's coin" in told["after"][0]["marks"]) == (told["answer"] == "in")
    assert s.x("heads").size + s.x("tails").size == n - 1
    steps = s.x("not counted")
    return {"n": n, "said": n / 2 + s.x("published")[0] / (steps[1] - steps[0])}


def _apart(n, place):
    """Return half the area between the bells with a record there and without, by a sum over the mean."""
    mean = np.linspace(-12, 12, 200_001)
    inside = norm.pdf(mean, place / math.sqrt(n), math.sqrt(1 - 1 / n))
    return np.abs(inside - norm.pdf(mean)).sum() * (mean[1] - mean[0]) / 2


def mean_plank(s, n, dimension, place):
    wobble = 1 / math.sqrt(n)
    assert dimension > 1 or math.isclose(max(s.x("its usual wobble")), 3 * wobble)
    own = (1 + _apart(n, place)) / 2
    one = (1 + mis.gaussian_mean_delta(n)) / 2
    told = {"here.own": own, "own": own} if dimension == 1 else {"one": one}
    told |= {"right": (1 + mis.gaussian_mean_delta(n, dimension)) / 2, "pivot": place / n}
    told |= {"drawn": min(dimension, 7)}
    lit = 50 + s.x("right, on average").size, 50 + s.x("right about this Zoe").size
    assert np.allclose(lit, [100 * told["right"], 100 * (own if dimension == 1 else one)], atol=0.51)
    return told | {"share": abs(s.x("the mean")[0]) / wobble, "low": -wobble, "high": wobble}


def mean_slide(s, n, distance):
    apart, gain = _apart(n, distance), np.maximum(s.y("the record is in") - s.y("the record is out"), 0)
    assert math.isclose(np.trapezoid(gain, s.x("the record is in")), apart, abs_tol=2e-3)
    scaled = {"scaled": s.at("√n Δ (exact)", n), "first": s.y("√n Δ (exact)")[0], "limit": 1 / math.pi}
    told = {"centre": distance / math.sqrt(n), "variance": 1 - 1 / n, "apart": Must(apart, within=1e-5)}
    told |= {"bound": most(mis.near_gaussians_bound(n, distance))}
    return scaled | told | {"right": (1 + mis.gaussian_mean_delta(n)) / 2}


def _trained_run(s, run, iteration, threshold):
    """Return what a training run tells, from its curves."""
    row = np.flatnonzero(run.iterations <= iteration)[-1]
    caught, wrong, _ = s.y("your iteration")
    right = accuracy_from_rates(caught, round(wrong * run.drawn), run.drawn)
    at, curve = s.xy("attack right (estimate)")
    # A logarithmic axis begins at 3.5, where none stands.
    assert np.array_equal(np.maximum(at, 3.5), np.maximum(run.iterations, 3.5))
    values = {"iteration": run.iterations[row], "threshold": s.x("threshold")[0], "members": run.members}
    for name, shares in (("half_in", run.train[row]), ("half_out", run.fresh[row])):
        reached = [at for at, share in zip(run.levels, shares, strict=True) if share >= 0.5]
        values[f"{name}.level"] = (reached or run.levels[-1:])[0]
    values |= {"caught": caught, "end_in": s.y("members below")[-1], "at": run.iterations[curve.argmax()]}
    values |= every(about, wrong=wrong, right=(caught + 1 - wrong) / 2, low=right.low, high=right.high)
    return values | every(about, best=curve.max(), end_out=s.y("fresh below")[-1], end_right=curve[-1])


def mis_figure_1(s, iteration, threshold):
    run = _stored()
    row = np.flatnonzero(run.iterations <= iteration)[-1]
    for name, shares in (("members' losses", run.train[row]), ("fresh losses", run.fresh[row])):
        # The last point only closes the outline.
        assert np.allclose(np.cumsum(s.y(name)[:-1])[:-1], shares, atol=1e-3)
    shares, most_of_all, reached = (each[..., run.column(threshold)] for each in _seeds())
    here = shares[:, run.row(iteration)]
    told = {"runs": len(here), **_trained_run(s, run, iteration, threshold)}
    told |= every(about, nearly=(reached >= 0).sum(), every=(most_of_all == 1).sum())
    return told | every(about, least=here.min(), most=here.max())


def mis_figure_1_vary(s, vary, factor, iteration, threshold):
    name = _NAMES[vary]
    run, settings = load(f"overfitting_1_vary_{name}").arrays, limits.varied(name, factor)
    row, level = limits.VARIED_AT.index(iteration), THRESHOLDS.index(threshold)

    def counted(at):
        drawn, place = limits.varied(name, at), (limits.FACTORS.index(at), slice(None), row, level)
        inside, outside = run["train"][place] / drawn["n"], run["validation"][place] / drawn["fresh"]
        return inside, outside, (inside + 1 - outside) / 2

    inside, outside, right = counted(factor)
    first, *_, last = limits.FACTORS
    assert math.isclose(s.at("members below", iteration), inside.mean(), abs_tol=6e-4)
    paper = {"n": 1000, "width": 4096, "noise": 0.1, "rate": 0.1, "dimension": 10, "fresh": 1000}[name]
    told = {"value": settings[name], "base": limits.varied(name, 1.0)[name], "paper": paper}
    told |= every(about, caught=inside.mean(), wrong=outside.mean(), right=right.mean(), low=right.min())
    told |= every(about, high=right.max(), first=counted(first)[2].mean(), last=counted(last)[2].mean())
    return told | {"seeds": len(inside)}


def _own(vary, to, sizes, n):
    """Return the records, the noise and the models of a state of Figure 2a or 2b."""
    moved = {"n": sizes, "noise": _NOISES, "neighbours": limits.NEIGHBOURS}.get(vary, _MODELS)[to]
    given = {"n": n, "noise": 0.1, "models": max(_MODELS), vary: moved}
    return [given[name] for name in ("n", "noise", "models")]


def _measured(figure, d, models, threshold):
    """Return what the first models count at a dimension."""
    run = load(f"overfitting_{figure}").arrays
    place = run["dimensions"].tolist().index(d), run["thresholds"].tolist().index(threshold)
    found = sorted(run["validation"][place[0], :models, place[1]].astype(float))
    values = every(about, share=sum(found) / models, low=found[0], high=found[-1]) | {"models": models}
    return {f"measured.{name}": value for name, value in values.items()} | {"dots.models": models}


def mis_figure_2a(s, vary, to, threshold):
    n, noise, models = _own(vary, to, _RECORDS, 200)
    inside, outside = "members (exact)", "fresh (exact)"
    right, later = ((s.at(inside, d) + 1 - s.at(outside, d)) / 2 for d in (n, 2000))
    law = learners.residual_law(n, n, math.pi**2 / n, noise, of="test")
    told = {"n": n, "noise": noise, "wide": 2000, "right": right, "beyond": later}
    told |= {"first": s.y(inside)[0], "least": s.y(outside).min(), "most": s.y(outside).max()}
    return told | _measured("2a", 200, models, threshold) | {"caught": law.below(threshold)}


def mis_figure_2a_adam(s, rate, iteration, threshold):
    run = load("overfitting_2a_adam").arrays
    at = limits.ADAM_AT.index(iteration), limits.ADAM_RATES.index(rate), limits.ADAM_LEVELS.index(threshold)
    inside, fresh = (run[side][:, :, *at] / count for side, count in (("train", 200), ("validation", 1000)))
    here, there = (run["dimensions"].tolist().index(d) for d in (400, 200))
    assert math.isclose(s.at("fresh, Adam (estimate)", 400), fresh[here].mean(), abs_tol=6e-4)
    rates = every(about, inside=inside[here].mean(), stuck=inside[there].mean(), fresh=fresh[here].mean())
    rates |= every(about, low=fresh[here].min(), high=fresh[here].max())
    solved = learners.residual_law(200, 400, math.pi**2 / 400, 0.1).below(threshold)
    return {**rates, "solved": solved, "models": 2}


def _close(shifts, spread, threshold):
    """Return how often a normal error around each of the shifts is small, by the chi-squared law."""
    return ncx2.cdf(threshold / spread**2, 1, np.maximum(shifts / spread, 1e-9) ** 2).mean()


def mis_figure_2b(s, vary, to, threshold):
    averaged = limits.NEIGHBOURS[to] if vary == "neighbours" else 1
    n, noise, models = _own(vary, to, limits.NEIGHBOUR_SIZES, 1000)
    right, (dimensions, fresh) = s.y("attack right (estimate)"), s.xy("fresh (estimate)")
    inside = s.y(f"members ({'exact' if averaged == 1 else 'estimate'})")
    kept = load("overfitting_2b_shifts").arrays
    by_n, by_k = kept["by_n"][0, limits.NEIGHBOUR_SIZES.index(n)], kept["by_k"][0, averaged - 1]
    shifts = (by_n if averaged == 1 else by_k).astype(float)
    own = _close(shifts, noise * math.sqrt(1 + 1 / averaged), threshold)
    assert math.isclose(fresh[0], own, rel_tol=1e-6)
    rates = {"low": right.min(), "high": right.max(), "lowest": right.min(), "highest": right.max()}
    rates |= {"least": fresh.min(), "most": fresh.max(), "ten": s.at("fresh (estimate)", 10)}
    if averaged == 1:
        assert (inside == 1).all()
    else:
        members = kept["members"][limits.NEIGHBOUR_DIMENSIONS.index(10), averaged - 1].astype(float)
        rates["itself.own"] = _close(members, noise * math.sqrt(1 - 1 / averaged), threshold)
        rates |= {"throughout.bottom": inside.min(), "throughout.top": inside.max()}
    places = {"worst": dimensions[right.argmin()], "best": dimensions[right.argmax()]}
    told = {"n": n, "itself.n": n, "itself.mean": averaged, "noise": noise, **places}
    return told | every(about, **rates) | _measured("2b", 10, models, threshold)


def mnist_training(s, vary, factor):
    name = _SETTINGS[vary]
    run = load(f"table1_vary_{name}").arrays["raw"].astype(float)[limits.TABLE1_FACTORS.index(factor)]
    raw, right = s.y("your setting")
    on_raw, on_centroids = s.y("raw digits (estimate)"), s.y("centroids (estimate)")
    rates = every(about, right=right, raw=raw, low=run[:, 1].min(), high=run[:, 1].max())
    rates |= every(about, raw_first=on_raw[0], raw_last=on_raw[-1], least=run[:, 0].min())
    rates |= every(about, first=on_centroids[0], last=on_centroids[-1], most=run[:, 0].max())
    base = limits.TABLE1_BASE[name]
    kept = {"value": limits.scaled(base, factor), "base": base, "clusters": 30}
    return {**rates, **kept, "trials": len(run)}


def mnist_weights(s, n, nu, lam):
    a, b = (lam * (1 - nu), (1 - lam) * nu)
    a, b = a / (a + b), b / (a + b)
    ten = limits.ladder().pool[10]
    securities = {
        name: np.mean([mis.worst_case_security(law / law.sum(), n, nu, lam) for law in laws])
        for name, laws in (("alone", ten.sum(axis=2)), ("labelled", ten.reshape(len(ten), -1)))
    }
    return {"a": a, "b": b, "most": 300, "last": s.y("with labels (exact)")[-1], **securities}


def _mnist(n):
    """Return the numbers of Table 1 at a size, by row."""
    run, raw = limits.table1(), limits.table1().raw_law()
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
    accuracy = limits.ladder().raw[:, limits.table1().sizes.index(n), limits.CLUSTERINGS.index(clusters)]
    security = limits.ladder().security(n, "clusters and labels")[:, limits.CLUSTERINGS.index(clusters)]
    ends = s.trace("to its centre")["x"][1::3]
    right = 100 * accuracy.mean(), 100 - 50 * security.mean()
    lit = [len(s.x(name)) for name in ("the network reads", "a spy is right, at most")]
    assert lit == [round(right[0]), round(right[1]) - 50]
    told = {"spied": right[1] / 100, "blurs": len(set(ends)), "share.n": n}
    told |= {"share.heap": n / clusters} if n >= clusters else {}
    return told | every(about, hundred=right[0], raw=s.x("real digits")[0])


def least_squares_leaks(s, features):
    # The ribbon that is drawn is the best, where the two bells cross, and its mistakes are what is filled.
    left = 1 - features / 100
    best = brentq(
        lambda at: norm.pdf(at, scale=left**0.5) - norm.pdf(at, scale=left**-0.5), 0.01, 2, xtol=1e-14
    )
    found, accused = erf(best / np.sqrt(2 * left)), erf(best * np.sqrt(left / 2))
    assert abs(s.x("its edge")[0] - best) < 1e-3
    areas = [
        abs(np.trapezoid(s.y(f"mistakes, {who}"), s.x(f"mistakes, {who}"))) for who in ("patients", "others")
    ]
    assert np.allclose(areas, [1 - found, accused], atol=2e-3)
    told = {"right": 0.5 + (found - accused) / 2, "features": features}
    return told | {"found": 100 * found, "accused": 100 * accused}


def mnist_trade_off(s, n):
    (alone, right), labelled = s.xy("atoms: clusters"), s.x("atoms: with labels")
    (raw,), (read,) = s.xy("raw digits")
    told = every(about, right=right[0], few=right[0], many=right[-1], cost=100 * (right[-1] - right[0]))
    told |= every(about, raw=read, star=read)
    told |= {"safe": alone[0], "first": alone[0], "last": alone[-1], "gain": alone[0] - alone[-1]}
    told |= {"pairs": labelled[-1], "more": labelled[0] - labelled[-1], "least": raw}
    return told | {"table": _mnist(n)}


def a_model_remembers(s, steps, off):
    # By the sticks from the people to the curve that are drawn.
    sticks, ages = np.abs(np.diff(s.y("off by").reshape(-1, 3)[:, :2]))[:, 0], s.x("off by")[::3]
    inside, outside = (
        sticks[np.abs(ages - s.x(who)[:, None]).argmin(axis=1)] for who in ("patients", "others")
    )
    rights = {line: (inside <= line).sum() + (outside > line).sum() for line in np.arange(1, 31) / 2}
    best = max(rights, key=lambda line: (rights[line], line))
    assert np.isfinite(s.y("others and patients mistaken")).sum() == 24 - rights[off]
    told = {"right": rights[off], "caught": (inside <= off).sum(), "wrong": (outside <= off).sum()}
    told |= {"farthest": inside.max(), "strangers": outside.max(), "half": inside.size}
    told |= {"best_of.best": best, "best_of.most": rights[best]} if rights[best] > 12 else {}
    return told | {"all": inside.size + outside.size}


def security_roc(s, nu, lam, learner):
    (fpr,), (tpr,) = s.xy("best attack (exact)")
    a, b = (float(weight) for weight in mis.weights(nu, lam))
    best, constant = a * tpr + b * (1 - fpr), max(a, b)
    for name, level in (("the best attack", best), ("never looking", constant)):
        x, y = s.xy(f"as good as {name}")
        assert np.allclose(a * y + b * (1 - x), level, atol=1e-9)
    values = {"slope": b / a, "least": constant, "best": best, "fpr": fpr, "tpr": tpr}
    gain, (x, y) = (best - constant) / min(a, b), s.xy("all attacks (exact)")
    return {**values, "security": 1 - gain, "gain": gain, "hidden": (y - x).max()}


def ten_cities(s, n, draw, published):
    # Half of what a stranger's city and a member's differ by, over all counts of one city.
    counts = np.arange(n + 1)
    strays = np.abs(counts / n - 1 / 10) @ binom.pmf(counts, n, 1 / 10)
    # His words fly above the counts; five others come from each city of fifty.
    drawn, others = _dealt(n, draw), n // 10
    says_in = drawn > others
    words = ["<b>in</b>" if each else "<b>out</b>" for each in says_in]
    assert list(s.trace("he says")["text"]) == words
    won = drawn[says_in].sum() + others * (~says_in).sum()
    assert len(s.x("earlier draws")) == draw - 1
    told = {"right": 50 + 50 * 10 * strays / 2, "hits": 50 * won / n, "won": 50 * won / n - 50}
    over = np.maximum(drawn - others, 0).sum()
    if published != "counts":
        assert list(s.trace("▲ or ▼")["text"]) == ["▲" if each else "▼" for each in says_in]
        return told
    assert list(s.trace("below")["customdata"]) == drawn.tolist()
    if n <= 60:
        assert s.x("up to the average").size == n - over == n - s.x("missing").size
        assert s.x("too many").size == over
    return told | {"held.over": over, "held.n": n}


def ever_more_cities(s, cities, n):
    # By the map: on the blue share of it, squares of four corners and the first again, stand those found.
    areas = ("he says in", "all cities")
    corners = np.array([s.trace(name)["x"].count(None) for name in areas])
    x, y = (s.trace("all cities")[axis] for axis in "xy")
    sizes = [(x[i + 1] - x[i]) * (y[i + 2] - y[i + 1]) for i in range(0, len(x), 6)]
    assert np.allclose(sizes, sizes[0])
    share, found = corners[0] / corners[1], s.x("patients found").size
    assert corners[1] == cities
    assert found + s.x("patients missed").size == n
    right = [
        0.5 + k_ * np.abs(np.arange(n + 1) / n - 1 / k_) @ binom.pmf(np.arange(n + 1), n, 1 / k_) / 4
        for k_ in (cities, 2, 300)
    ]
    told = {"right": right[0], "least": 100 * right[1], "most": 100 * right[2]}
    return told | {"cities": cities, "n": n, "found": found, "share": share}


# A disc, a ring, and a disc with a cross.
_SIGNS = ["circle", "circle-open", "circle-cross"]


def security_robot(s, nu, learner):
    p, n = (0.5, 0.3, 0.2), 5
    drawn, fresh = defaultdict(float), defaultdict(float)
    for counts in ((a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)):
        weight = multinomial.pmf(counts, n, p)
        released = LEARNERS[learner](counts)
        for value, chance in (released if isinstance(released, dict) else {released: 1}).items():
            for kind in range(3):
                drawn[value, kind] += weight * chance * counts[kind] / n
                fresh[value, kind] += weight * chance * p[kind]
    best = sum(max((1 - nu) * drawn[each], nu * fresh[each]) for each in drawn)
    (ball,), tray, card = (
        [_SIGNS.index(sign) for sign in s.trace(name)["marker"]["symbol"]]
        for name in ("in your hand", "in the tray", "on the card")
    )
    tray = tuple(np.bincount(tray, minlength=3).tolist())
    value = card[0] if learner == "one ball" else LEARNERS[learner](tray)
    member, other, lazy = (1 - nu) * drawn[value, ball], nu * fresh[value, ball], max(nu, 1 - nu)
    told = {"low": s.x("without the card").size, "fresh": nu, "lazy": lazy, "best": best}
    return told | {"more": 100 * (best - lazy), "chance": 100 * member / (member + other)}


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
    # Who lie beyond the edge cost no more than the training error; no more others are inside than told.
    out = s.x("patients")[s.x("patients") > 0]
    assert (out > ribbon).all()
    assert out.size * ribbon**2 <= s.x("patients").size * error * (1 + 1e-9)
    assert np.mean(s.x("others") <= ribbon) <= 2 * ribbon / math.sqrt(2 * math.pi)
    missed, accused = min(1, error / ribbon**2), 2 * ribbon / math.sqrt(2 * math.pi)
    right = 1 - (missed + accused) / 2
    widths = np.arange(1, 21) / 20
    best = widths[np.argmin(error / widths**2 + 2 * widths / math.sqrt(2 * math.pi))]
    told = every(most, missed=100 * missed, accused=100 * accused) | {"right": least(right)}
    told |= {"error": error, "crowd": s.x("patients").size, "purse": 100 * error, "cost": ribbon**2}
    # The coins fill as much of the purse as they cost.
    coins, purse = s.x("coins"), s.x("his purse")
    spent = (np.nanmax(coins) - purse.min()) / np.ptp(purse) if out.size else 0
    assert 0 <= out.size * ribbon**2 / (100 * error) - spent < 0.01
    return told | ({} if ribbon == best or error >= ribbon**2 * (1 - 1e-9) else {"fewest.best": best})
