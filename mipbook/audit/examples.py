"""What audits found, stored: of learners on made-up tables, of networks on digits, by canaries.

An audit of a reader's own table is made when it is asked for.
"""

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np

from explorable import validate
from explorable.checked import Integer, OneOf, checked
from mipbook.audit.canary_bounds import canary_epsilon
from mipbook.audit.canary_gaussian import canary_mu
from mipbook.audit.canary_runs import gaussian_reading
from mipbook.audit.security import SecurityAudit, certify_security, mean_lower_bound
from mipbook.audit.shadows import Shadows, shadow_models
from mipbook.base.types import Array
from mipbook.stored.store import load
from mipbook.stored.trained import RATE, STEPS

EXAMPLES = ("a curve with noise", "pure noise", "records that repeat")
LEARNERS = ("linear", "ridge", "k-NN", "tree", "forest")
MODELS = (20, 24, 28, 32, 36, 40, 45, 50, 55, 60, 65, 70, 75, 80, 90, 100)
SETTINGS: dict[str, Any] = {
    "version": 1,
    "examples": EXAMPLES,
    "learners": LEARNERS,
    "models": MODELS,
    "trained": 40,
    "challenges": 20,
    "seeds": (140, 141, 142),
}
SHARES = np.linspace(0, 1, 61)
# What is stored of a report, in this order.
NUMBERS = ("estimate", "certified", "low", "high", "found", "accused")


class TableAudit(NamedTuple):
    """What an audit of a learner on a table found.

    Attributes
    ----------
    members, others : ndarray of shape (61,)
        Quantiles of the absolute errors, from the least to the largest, in standard deviations
        of the target.
    report : SecurityAudit
        What the attack proves.
    """

    members: Array
    others: Array
    report: SecurityAudit


def example_table(name: str) -> Array:
    """Return a made-up table; the last column is the target.

    Examples
    --------
    >>> example_table("pure noise").shape
    (400, 6)
    """
    name = validate.choice("name", name, EXAMPLES)
    rng = np.random.default_rng(SETTINGS["seeds"][0])
    if name == EXAMPLES[2]:
        X = rng.integers(0, 2, (400, 3)).astype(float)
        return np.column_stack([X, X.sum(axis=1) % 2])
    X = rng.standard_normal((400, 5))
    signal = np.sin(X[:, 0]) if name == EXAMPLES[0] else 0.0
    return np.column_stack([X, signal + 0.3 * rng.standard_normal(400)])


def _estimator(name: str) -> Any:
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import LinearRegression, Ridge
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeRegressor

    return {
        "linear": LinearRegression(),
        "ridge": make_pipeline(StandardScaler(), Ridge(30.0)),
        "k-NN": make_pipeline(StandardScaler(), KNeighborsRegressor(5)),
        "tree": DecisionTreeRegressor(),
        "forest": RandomForestRegressor(10),
    }[name]


@lru_cache(maxsize=8)
def shadows_on(table: bytes, columns: int, learner: str) -> Shadows:
    """Return what an attacker sees of the models that were trained on a table in bytes."""
    rows = np.frombuffer(table).reshape(-1, columns)
    n = min(SETTINGS["trained"], len(rows) // 2)
    game = {"n": n, "models": MODELS[-1], "challenges": min(SETTINGS["challenges"], n)}
    rng = np.random.default_rng(SETTINGS["seeds"][1])
    return shadow_models(_estimator(learner), rows[:, :-1], rows[:, -1], **game, rng=rng, n_jobs=1)


def errors_of(shadows: Shadows) -> Array:
    """Return the quantiles of members' and of others' absolute errors."""
    return np.array([np.quantile(t[:, :, 2], SHARES) for t in (shadows.inside, shadows.outside)])


def report_of(shadows: Shadows, models: int) -> SecurityAudit:
    """Return what the attack proves on the first so many models."""
    rng = np.random.default_rng(SETTINGS["seeds"][2])
    return certify_security(shadows.first(models), rng=rng)


@lru_cache(maxsize=64)
def _audited(table: bytes, columns: int, learner: str, models: int) -> tuple[Array, SecurityAudit]:
    shadows = shadows_on(table, columns, learner)
    return errors_of(shadows), report_of(shadows, models)


@checked
def table_audit(
    table: Array | str,
    learner: Annotated[str, OneOf(LEARNERS)],
    models: Annotated[int, Integer(MODELS[0], MODELS[-1])],
) -> TableAudit:
    """Audit a learner on a table; on one of `EXAMPLES` what is stored is read.

    Parameters
    ----------
    table : ndarray or str
        Records in rows, the target last; or the name of an example.
    learner : str
        One of `LEARNERS`.
    models : int
        Models that are trained, in [20, 100], half of them for the attack.

    Examples
    --------
    >>> found = table_audit("a curve with noise", "tree", 100)
    >>> found.report.certified > 0.6, bool(found.members.max() < 1e-9)
    (True, True)
    """
    rows = example_table(table) if isinstance(table, str) else np.asarray(table, dtype=float)
    if isinstance(table, str) and models in MODELS:
        errors, report = _stored(table, learner, models)
    else:
        packed = np.ascontiguousarray(rows).tobytes()
        errors, report = _audited(packed, rows.shape[1], learner, models)
    # A constant target has no deviation; its errors stay what they are.
    unit = float(rows[:, -1].std()) or 1.0
    members, others = errors / unit
    return TableAudit(members, others, report)


def _stored(table: str, learner: str, models: int) -> tuple[Array, SecurityAudit]:
    arrays = load("audit", SETTINGS).arrays
    place = EXAMPLES.index(table), LEARNERS.index(learner)
    numbers = arrays["reports"][(*place, MODELS.index(models))].tolist()
    told = dict(zip(NUMBERS, numbers, strict=True))
    report = SecurityAudit(
        asymptotic=(told.pop("low"), told.pop("high")),
        confidence=0.95,
        models=models,
        tested=models - models // 2,
        challenges=SETTINGS["challenges"],
        n=SETTINGS["trained"],
        nu=0.5,
        lam=0.5,
        learner=learner,
        attack="gradient boosting",
        game="drawn from the table's rows, with replacement",
        **told,
    )
    return arrays["errors"][place].astype(float), report


# The network has one hidden layer of 32 units; the clip is 1.
HIDDEN, CLIP = 32, 1.0
ATTACKED_SIGMAS = (0.0, 0.4, 0.5, 0.7, 0.8, 1.0, 1.2, 1.6, 2.0, 4.0, 8.0)
ATTACKS = ("one threshold", "LiRA online", "LiRA online, each variance", "LiRA offline")
MEASURES = ("AUC", "TPR at 1%", "right above 0")
ATTACKED: dict[str, Any] = {
    "version": 1,
    "hidden": HIDDEN,
    "clip": CLIP,
    "sigmas": ATTACKED_SIGMAS,
    "learning rates": (0.5, 2.0, 8.0),
    # Models that pick the learning rate, on the digits that they were not trained on.
    "tried": 3,
    "models": 64,
    "rate": RATE,
    "steps": STEPS,
    "seed": 172,
}


class Attacked(NamedTuple):
    """What attacks find of networks with clip 1, over `ATTACKED_SIGMAS`.

    Attributes
    ----------
    found : dict
        From an attack to an array of shape (measures, sigmas).
    half_width : dict
        The same, half of the 95% bands by the jackknife over models.
    accuracy, accuracy_half_width : ndarray of shape (sigmas,)
        Share of digits told right by the models that were trained without them.
    learning_rate : ndarray of shape (sigmas,)
        The best of three on models that are not attacked, in units of 1 / clip.
    """

    found: dict[str, Array]
    half_width: dict[str, Array]
    accuracy: Array
    accuracy_half_width: Array
    learning_rate: Array


@lru_cache(maxsize=1)
def attacked() -> Attacked:
    """Return what is stored of the attacks on a network of 32 hidden units with clip 1.

    Notes
    -----
    64 models, each digit in by a fair coin; each model is attacked with the other 63 as shadows.
    Given the digits the models are independent draws, so the jackknife over models errs on
    the wide side on average, although targets share their shadows.

    References
    ----------
    B. Efron and C. Stein, "The Jackknife Estimate of Variance", Annals of Statistics 1981.

    Examples
    --------
    >>> bool(0.55 < attacked().found["LiRA online"][0, 0] < 0.65)
    True
    """
    arrays = load("attacked_digits", ATTACKED).arrays
    found, widths = (
        {attack: arrays[key][:, i].T.astype(float) for i, attack in enumerate(ATTACKS)}
        for key in ("found", "half")
    )
    accuracy, half = arrays["accuracy"].T.astype(float)
    return Attacked(found, widths, accuracy, half, arrays["rate"].astype(float))


TABLE: dict[str, Any] = {
    "version": 1,
    "canaries": (
        *(100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000),
        *(5000, 7000, 10_000, 20_000, 50_000, 100_000),
    ),
    "guessed": (1.0, 0.2),
    "right": tuple(range(50, 101)),
    "delta": 1e-5,
}
TRAINED: dict[str, Any] = {
    "version": 2,
    "sigmas": (
        *(0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6),
        *(1.7, 1.8, 1.9, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0, 3.3, 3.6, 4.0),
    ),
    "canaries": 500,
    "guessed": (0.05, 0.1, 0.2, 0.5),
    "repeats": 5,
    "sampling": 0.1,
    "steps": 300,
    "delta": 1e-5,
    "seed": 172,
}
METHODS = ("sharp", "published", "gaussian")


class ProofTable(NamedTuple):
    """What right guesses prove at delta = 1e-5 and 95%, by the share that is right.

    Attributes
    ----------
    right : ndarray of int, shape (shares,)
        Right guesses, for 50, 51, ..., 100% of them.
    guesses : int
        How many canaries are guessed.
    sharp, published, gaussian : ndarray of shape (shares,)
        The epsilon by each method (bounds); the last for runs that are Gaussian DP alone.
    """

    right: Array
    guesses: int
    sharp: Array
    published: Array
    gaussian: Array


class DigitAudit(NamedTuple):
    """What audits of runs on digits prove, by the noise; five runs each.

    Attributes
    ----------
    epsilon : dict
        By method, *sharp* and *gaussian*: an ndarray of shape (sigmas, repeats).
    auc, accuracy : ndarray of shape (sigmas, repeats)
        The attack's area under the curve, and the share of test digits told right.
    """

    epsilon: dict[str, Array]
    auc: Array
    accuracy: Array


def right_of(guesses: int, percents: tuple[int, ...]) -> Array:
    """Return whole numbers of right guesses, never more than the shares."""
    return np.floor(np.array(percents) * guesses / 100.0)


@lru_cache(maxsize=64)
@checked
def proof_table(
    canaries: Annotated[int, OneOf(TABLE["canaries"])],
    guessed: Annotated[float, OneOf(TABLE["guessed"])] = 1.0,
) -> ProofTable:
    """Return what right guesses prove, from half of them to all.

    Parameters
    ----------
    canaries : int
        One of 16 numbers from 100 to 100,000.
    guessed : {1.0, 0.2}
        The share of the canaries that is guessed.

    Examples
    --------
    >>> table = proof_table(1000)
    >>> int(table.right[30]), round(float(table.sharp[30]), 2)
    (800, 1.25)
    """
    at = TABLE["canaries"].index(canaries), TABLE["guessed"].index(guessed)
    guesses = round(guessed * canaries)
    found = load("canaries_proofs", TABLE).arrays["epsilon"][at]
    return ProofTable(right_of(guesses, TABLE["right"]), guesses, *found)


@lru_cache(maxsize=64)
def digit_audit(guessed: float = 0.2) -> DigitAudit:
    """Return what audits prove of a softmax on digits, by the noise in its training.

    Parameters
    ----------
    guessed : {0.05, 0.1, 0.2, 0.5}
        The share of the 500 canaries that is guessed.

    Examples
    --------
    >>> found = digit_audit()
    >>> found.auc.shape, bool((found.epsilon["sharp"][0] > found.epsilon["sharp"][-1]).all())
    ((25, 5), True)
    """
    guessed = validate.choice("guessed", guessed, TRAINED["guessed"])
    arrays, canaries = load("canaries_digits", TRAINED).arrays, TRAINED["canaries"]
    r = round(guessed * canaries)
    right = arrays["right"][..., TRAINED["guessed"].index(guessed)].astype(int)
    delta, known = TRAINED["delta"], np.unique(right)
    mus = np.array([gaussian_reading(canary_mu(int(v), r, canaries), delta) for v in known])
    auc, accuracy = np.moveaxis(arrays["measured"].astype(float), -1, 0)
    epsilon = {
        "sharp": np.asarray(canary_epsilon(right, r, delta, canaries)),
        "gaussian": mus[np.searchsorted(known, right)],
    }
    return DigitAudit(epsilon, auc, accuracy)


# So many models taught him, by a member and a stranger each.
TAUGHT, _SEED = 20, 7


class LearntRule(NamedTuple):
    """A rule that says *in* on some pieces of a line, and how it does where it was learnt.

    Attributes
    ----------
    numbers : ndarray of shape (models, 2)
        Of each model the number of a member and of a stranger.
    cuts : ndarray
        Where the line is cut, in order.
    says : ndarray of bool
        Whether he says *in*, piece by piece.
    right : ndarray of bool, shape (models, 2)
        About whom of those who taught him he is right.
    claimed : float
        The leak that these answers would prove, with 95% confidence, had others taught him.
    """

    numbers: Array
    cuts: Array
    says: Array
    right: Array
    claimed: float


@checked
def learnt_rule(cuts: Annotated[int, Integer(1, 60)]) -> LearntRule:
    """Learn a rule with at most so many cuts from models that never looked at their data.

    Parameters
    ----------
    cuts : int
        In how many places the line may be cut, in [1, 60].

    Notes
    -----
    Members and strangers have the same distribution, so on all other models any rule is right
    half of the time.

    Examples
    --------
    >>> float(learnt_rule(cuts=1).right.mean()), float(learnt_rule(cuts=19).right.mean())
    (0.625, 1.0)
    >>> learnt_rule(cuts=20).cuts.size
    19
    """
    from sklearn.tree import DecisionTreeClassifier

    numbers = np.random.default_rng(_SEED).standard_normal((TAUGHT, 2))
    member = np.tile([True, False], (TAUGHT, 1))
    tree = DecisionTreeClassifier(max_leaf_nodes=cuts + 1, random_state=0)
    tree.fit(numbers.reshape(-1, 1), member.ravel())
    at = np.sort(tree.tree_.threshold[tree.tree_.feature >= 0])
    ends = np.concatenate([[at[0] - 1], at, [at[-1] + 1]])
    says = tree.predict((ends[1:, None] + ends[:-1, None]) / 2)
    right = says[np.searchsorted(at, numbers)] == member
    return LearntRule(numbers, at, says, right, max(0.0, 2 * mean_lower_bound(right.mean(axis=1)) - 1))
