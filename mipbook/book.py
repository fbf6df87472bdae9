"""What this book tells the engine of itself: its names, its parts, its words, its planted errors."""

import csv
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
_ARGUMENTS = Path(__file__).with_name("arguments.csv").read_text(encoding="utf-8")
GLOSSARY = {name: (kind, meaning) for name, kind, meaning in csv.reader(_ARGUMENTS.splitlines()[1:])}

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
            "subsets",
            "table1",
            "unit_vectors",
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
        *(f"mipbook.{room}" for room in ("tradeoff", "mechanisms", "game", "mip", "pmp")),
        *(f"mipbook.{room}" for room in ("mis", "accounting", "dpsgd", "release", "choose", "audit")),
        *(f"mipbook.{room}" for room in ("data", "learners", "stored")),
        *(f"mipbook.figures.{part}" for part in ("game", "mip", "pmp", "mis", "together")),
        *("explorable.panels", "explorable.checks"),
    ),
    planted=_PLANTED,
)
