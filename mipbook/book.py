"""What this book tells the engine of itself: its names, its parts, its words, its planted errors."""

from pathlib import Path

from explorable.palette import BLUE, FACES, GREEN, GREY, ORANGE, PURPLE, TEAL
from explorable.serve import tile as tile  # what a JupyterLab starts
from explorable.settings import Book, Planted

_NAMES = ("Anna", "Ben", "Carla", "Dev", "Eva", "Finn", "Gus", "Hana", "Ines", "Zoe")
# The cast of the whole book: ten people, each with the colour of their dot.
PEOPLE = dict(zip(_NAMES, FACES, strict=True))

# The ideas that have one colour everywhere, in pictures and in words.
IDEAS = {"in": BLUE, "out": ORANGE, "dp": GREY, "mip": GREEN, "pmp": PURPLE, "mis": TEAL}

# A docstring describes an argument only where it differs from this: the kind of value, and what it
# is.  Adjacency of data sets is *replace one record*, unless a name says otherwise.
GLOSSARY: dict[str, tuple[str, str]] = {
    "clip": ("float", "The clip threshold C: the largest length of a record, in (0, inf)."),
    "confidence": ("float", "The chance, in (0, 1), that what is stated is true, at least."),
    "delta": ("float or array_like", "DP's probability of failure, in [0, 1]."),
    "dimension": ("int", "Coordinates of a record or of an output, at least 1."),
    "epsilon": ("float or array_like", "DP's epsilon, in [0, inf]."),
    "eta": ("float or array_like", "MIP's promise: the edge over a coin toss, in (0, 1/2)."),
    "fpr": ("float or array_like", "False positive rate: the share of others accused, in [0, 1]."),
    "lam": ("float or array_like", "Weight of the members in the attacker's score, in (0, 1)."),
    "losses": (
        "array_like of shape (records, objects)",
        "The loss of each object on each record of the pool; a data set's loss is the mean.",
    ),
    "member": (
        "array_like of bool, shape (datasets,)",
        "Which data sets hold the record in question; of two data sets the second, if not given.",
    ),
    "members": (
        "array_like of bool, shape (datasets, records)",
        "Which records each data set holds, each record in some and not in others; every data "
        "set is equally likely.",
    ),
    "n_jobs": (
        "int, optional",
        "Processes, through joblib: 1 to 1024, or -1 for one a core. "
        "``joblib.parallel_config`` moves them to a cluster; the result does not depend on it.",
    ),
    "nu": ("float or array_like", "Chance that the test point is no member, in (0, 1)."),
    "probabilities": (
        "array_like of shape (datasets, outputs)",
        "One probability vector a data set; a deterministic mechanism has a 1 in each row.",
    ),
    "rng": ("numpy.random.Generator or int", "The only source of randomness, or a seed for one."),
    "sensitivity": (
        "float or array_like",
        "The largest distance between the outputs on neighbouring data, in (0, inf).",
    ),
    "sigma": (
        "float or array_like",
        "Standard deviation of the noise, in the units of what it is added to, in (0, inf).",
    ),
    "tpr": ("float or array_like", "True positive rate: the share of members found, in [0, 1]."),
    "values": (
        "array_like of shape (2n, dimension) or (2n,)",
        "f(x) for all records of the pool; for a mean, the records divided by n.",
    ),
    "weights": (
        "array_like of shape (datasets,), optional",
        "How likely each data set is; equally likely if not given.",
    ),
}

# A number stands for infinity, so that it still compares.
_ENDLESS = 1e300
_BOUNDS = {
    "TracingAttack.tail_bound": ("upper", 1.0),
    "certify_epsilon.epsilon": ("lower", 0.0),
    "delta_from_dp": ("upper", 1.0),
    "epsilon_lower_bound": ("lower", 0.0),
    "gaussian_delta_bound": ("upper", 1.0),
    "gaussian_epsilon_bound": ("upper", _ENDLESS),
    "mean_delta_bound": ("upper", 1.0),
    "near_gaussians_bound": ("upper", 1.0),
    "pinsker_bound": ("lower", 0.0),
    "security_from_dp": ("lower", 0.0),
    "success_bound": ("upper", 1.0),
}
_PLANTED = Planted(
    bounds=_BOUNDS,
    # What a reader would call an easy case; of n, the smallest that the cell takes.
    easy={"M": 2.0, "d": 1, "dimension": 1, "nu": 0.5, "lam": 0.5, "delta": 0.0, "n": None},
    apart=("mipbook.commands", "mipbook.__main__"),
    kept=("mipbook.data", "mipbook.stored.store"),
    data=frozenset(
        {
            "Table1.clusters",
            "Table1.sizes",
            "gaussian_pool",
            "linear_data",
            "load",
            "ladder",
            "sine_data",
            "sphere_points",
            "subsets",
            "table1",
        }
    ),
)

BOOK = Book(
    title="mipbook",
    package="mipbook",
    install="mipbook[accounting,learners]",
    about="An interactive book on membership inference: differential privacy and three weaker promises, "
    "every result checked, every picture yours to move.",
    picture="Two bell curves, in and out, and the line at which an attacker decides.",
    mark=(IDEAS["in"], IDEAS["out"]),
    results=Path(__file__).with_name("results.csv"),
    parameters=Path(__file__).with_name("parameters.csv"),
    symbols={"epsilon": "ε", "delta": "δ", "n": "n", "sigma": "σ", "clip": "clip, C"},
    sources={
        "lecture": "Lecture notes",
        "mip": "MIP paper",
        "rip": "RIP paper",
        "pmp": "PMP paper",
        "limits": "Limits paper",
        "together": "This book",
    },
    # Each notion with the document whose results it mostly checks, and its idea.
    parts={
        "game": ("lecture", "in"),
        "mip": ("mip", "mip"),
        "pmp": ("pmp", "pmp"),
        "mis": ("limits", "mis"),
        "together": ("together", "dp"),
    },
    homes={"together": "accounting"},
    ideas=IDEAS,
    sides=frozenset({"in", "out"}),
    people=PEOPLE,
    arguments=GLOSSARY,
    # As they stand in the book: from what is computed to what shows it.
    rooms=(
        *("mipbook.tradeoff", "mipbook.mechanisms", "mipbook.game", "mipbook.mip", "mipbook.pmp"),
        *(
            "mipbook.mis",
            "mipbook.accounting",
            "mipbook.dpsgd",
            "mipbook.release",
            "mipbook.choose",
            "mipbook.audit",
        ),
        *("mipbook.data", "mipbook.learners", "mipbook.stored", "mipbook.figures.game"),
        *("mipbook.figures.mip", "mipbook.figures.pmp", "mipbook.figures.mis"),
        "mipbook.figures.together",
        *("explorable.panels", "explorable.checks"),
    ),
    planted=_PLANTED,
)
