"""The figures of the book: pure functions from parameters to a picture."""

from mipbook.figures.attack_backwards import attack_backwards, attack_counts
from mipbook.figures.attack_scores import EXAMPLE_SCORES, attack_scores, example_scores
from mipbook.figures.attacker import guess_round
from mipbook.figures.blood_pressure import blood_pressure
from mipbook.figures.choose_lab import EXAMPLE_POOLS, choose_lab, read_pool
from mipbook.figures.dp_and_mip import dp_to_eta, eta_without_dp, roc_square
from mipbook.figures.exact_noise import exact_noise
from mipbook.figures.fatal_subset import fatal_subset
from mipbook.figures.four_epsilons import four_epsilons
from mipbook.figures.half_sample import half_sample
from mipbook.figures.noise import noise_vs_eta, noise_vs_eta_print, win_factor
from mipbook.figures.noise_lab import EXAMPLE_NUMBERS, noise_lab, read_numbers
from mipbook.figures.pmp_gaussian_hockey import hockey_stick
from mipbook.figures.pmp_gaussian_ratios import pmp_figure_4, pmp_figure_5, pmp_figure_6
from mipbook.figures.pmp_gaussian_scaling import gaussian_scaling
from mipbook.figures.pmp_growth import pmp_growth
from mipbook.figures.pmp_modular_sum import modular_sum_bars
from mipbook.figures.pmp_not_monotone import NOT_MONOTONE, not_monotone
from mipbook.figures.pmp_partition import PARTITION_HALVES, partition_picture
from mipbook.figures.pmp_ratios import pmp_figure_1, pmp_figure_2, pmp_figure_3
from mipbook.figures.pmp_square import pmp_square
from mipbook.figures.pmp_success import success_against_epsilon
from mipbook.figures.pmp_to_mip import pmp_to_mip
from mipbook.figures.posterior_bars import posterior_bars
from mipbook.figures.radius_meter import radius_meter
from mipbook.figures.release_clouds import release_clouds
from mipbook.figures.release_lab import EXAMPLE_TABLES, example_table, read_table, release_lab
from mipbook.figures.roc_plane import roc_plane
from mipbook.figures.same_advantage import same_advantage
from mipbook.figures.tracing import tracing, tracing_law, tracing_print
from mipbook.figures.two_games import two_games

__all__ = [
    "EXAMPLE_NUMBERS",
    "EXAMPLE_POOLS",
    "EXAMPLE_SCORES",
    "EXAMPLE_TABLES",
    "NOT_MONOTONE",
    "PARTITION_HALVES",
    "attack_backwards",
    "attack_counts",
    "attack_scores",
    "blood_pressure",
    "choose_lab",
    "dp_to_eta",
    "eta_without_dp",
    "exact_noise",
    "example_scores",
    "example_table",
    "fatal_subset",
    "four_epsilons",
    "gaussian_scaling",
    "guess_round",
    "half_sample",
    "hockey_stick",
    "modular_sum_bars",
    "noise_lab",
    "noise_vs_eta",
    "noise_vs_eta_print",
    "not_monotone",
    "partition_picture",
    "pmp_figure_1",
    "pmp_figure_2",
    "pmp_figure_3",
    "pmp_figure_4",
    "pmp_figure_5",
    "pmp_figure_6",
    "pmp_growth",
    "pmp_square",
    "pmp_to_mip",
    "posterior_bars",
    "radius_meter",
    "read_numbers",
    "read_pool",
    "read_table",
    "release_clouds",
    "release_lab",
    "roc_plane",
    "roc_square",
    "same_advantage",
    "success_against_epsilon",
    "tracing",
    "tracing_law",
    "tracing_print",
    "two_games",
    "win_factor",
]
