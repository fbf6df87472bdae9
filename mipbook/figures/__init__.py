"""The figures of the book: pure functions from parameters to a picture."""

from mipbook.figures.attacker import guess_round
from mipbook.figures.exact_noise import exact_noise
from mipbook.figures.fatal_subset import fatal_subset
from mipbook.figures.noise import noise_vs_eta, noise_vs_eta_print, win_factor

__all__ = [
    "exact_noise",
    "fatal_subset",
    "guess_round",
    "noise_vs_eta",
    "noise_vs_eta_print",
    "win_factor",
]
