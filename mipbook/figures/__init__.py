"""The figures of the book: pure functions from parameters to a picture."""

from mipbook.figures.attack_backwards import attack_backwards, attack_counts
from mipbook.figures.attack_scores import EXAMPLE_SCORES, attack_scores, example_scores
from mipbook.figures.attacker import guess_round
from mipbook.figures.exact_noise import exact_noise
from mipbook.figures.fatal_subset import fatal_subset
from mipbook.figures.half_sample import half_sample
from mipbook.figures.noise import noise_vs_eta, noise_vs_eta_print, win_factor
from mipbook.figures.roc_plane import roc_plane
from mipbook.figures.same_advantage import same_advantage
from mipbook.figures.tracing import tracing, tracing_law, tracing_print
from mipbook.figures.two_games import two_games

__all__ = [
    "EXAMPLE_SCORES",
    "attack_backwards",
    "attack_counts",
    "attack_scores",
    "exact_noise",
    "example_scores",
    "fatal_subset",
    "guess_round",
    "half_sample",
    "noise_vs_eta",
    "noise_vs_eta_print",
    "roc_plane",
    "same_advantage",
    "tracing",
    "tracing_law",
    "tracing_print",
    "two_games",
    "win_factor",
]
