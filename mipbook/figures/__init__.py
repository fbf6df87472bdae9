"""The figures of the book: pure functions from parameters to a picture."""

from mipbook.figures.attack_backwards import attack_backwards, attack_counts
from mipbook.figures.attack_scores import EXAMPLE_SCORES, attack_scores, example_scores
from mipbook.figures.attacker import guess_round
from mipbook.figures.audit_lab import AUDITED, EXAMPLE_TARGETS, TARGET_ROLES, audit_lab
from mipbook.figures.blood_pressure import blood_pressure
from mipbook.figures.choose_lab import EXAMPLE_POOLS, POOL_ROLES, choose_lab
from mipbook.figures.dp_and_mip import dp_to_eta, eta_without_dp, roc_square
from mipbook.figures.exact_noise import exact_noise
from mipbook.figures.fatal_subset import fatal_subset
from mipbook.figures.four_epsilons import four_epsilons
from mipbook.figures.half_sample import half_sample
from mipbook.figures.last_digits import last_digits
from mipbook.figures.mis_discrete_diversity import diversity_band
from mipbook.figures.mis_discrete_scallops import deviation_scallops
from mipbook.figures.mis_discrete_signs import DISCRETE_RELEASES, signs_are_enough
from mipbook.figures.mis_discrete_slopes import three_slopes
from mipbook.figures.mis_discrete_window import DISCRETE_LAWS, nu_window
from mipbook.figures.mis_dp_curves import dp_security
from mipbook.figures.mis_dp_weights import dp_weights
from mipbook.figures.mis_means_certificate import CERTIFIED_LEARNERS, certificate
from mipbook.figures.mis_means_digits import digit_leak
from mipbook.figures.mis_means_dimension import mean_dimension
from mipbook.figures.mis_means_slide import mean_slide
from mipbook.figures.mis_mnist_bias import PLUG_IN_SIZES, plug_in_bias
from mipbook.figures.mis_mnist_lab import CLASS_ROLES, EXAMPLE_CLASSES, discretise_lab
from mipbook.figures.mis_mnist_table import mnist_table, mnist_trade_off
from mipbook.figures.mis_overfitting_dimension import (
    OVERFITTING_DIMENSIONS,
    mis_figure_2a,
    mis_figure_2b,
)
from mipbook.figures.mis_overfitting_markov import LOSS_SHAPES, markov_rectangle, stopping_law
from mipbook.figures.mis_overfitting_ols import ols_residuals
from mipbook.figures.mis_overfitting_training import (
    OVERFITTING_RUNS,
    mis_figure_1,
    train_and_attack,
)
from mipbook.figures.mis_security_hockey import security_hockey
from mipbook.figures.mis_security_pinsker import PINSKER_LAWS, security_pinsker
from mipbook.figures.mis_security_roc import SECURITY_LEARNERS, security_roc
from mipbook.figures.noise import noise_vs_eta, noise_vs_eta_print, win_factor
from mipbook.figures.noise_lab import EXAMPLE_NUMBERS, NUMBER_ROLES, noise_lab
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
from mipbook.figures.release_lab import EXAMPLE_TABLES, TABLE_ROLES, example_table, release_lab
from mipbook.figures.roc_plane import roc_plane
from mipbook.figures.same_advantage import same_advantage
from mipbook.figures.tracing import tracing, tracing_law, tracing_print
from mipbook.figures.two_games import two_games

__all__ = [
    "AUDITED",
    "CERTIFIED_LEARNERS",
    "CLASS_ROLES",
    "DISCRETE_LAWS",
    "DISCRETE_RELEASES",
    "EXAMPLE_CLASSES",
    "EXAMPLE_NUMBERS",
    "EXAMPLE_POOLS",
    "EXAMPLE_SCORES",
    "EXAMPLE_TABLES",
    "EXAMPLE_TARGETS",
    "LOSS_SHAPES",
    "NOT_MONOTONE",
    "NUMBER_ROLES",
    "OVERFITTING_DIMENSIONS",
    "OVERFITTING_RUNS",
    "PARTITION_HALVES",
    "PINSKER_LAWS",
    "PLUG_IN_SIZES",
    "POOL_ROLES",
    "SECURITY_LEARNERS",
    "TABLE_ROLES",
    "TARGET_ROLES",
    "attack_backwards",
    "attack_counts",
    "attack_scores",
    "audit_lab",
    "blood_pressure",
    "certificate",
    "choose_lab",
    "deviation_scallops",
    "digit_leak",
    "discretise_lab",
    "diversity_band",
    "dp_security",
    "dp_to_eta",
    "dp_weights",
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
    "last_digits",
    "markov_rectangle",
    "mean_dimension",
    "mean_slide",
    "mis_figure_1",
    "mis_figure_2a",
    "mis_figure_2b",
    "mnist_table",
    "mnist_trade_off",
    "modular_sum_bars",
    "noise_lab",
    "noise_vs_eta",
    "noise_vs_eta_print",
    "not_monotone",
    "nu_window",
    "ols_residuals",
    "partition_picture",
    "plug_in_bias",
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
    "release_clouds",
    "release_lab",
    "roc_plane",
    "roc_square",
    "same_advantage",
    "security_hockey",
    "security_pinsker",
    "security_roc",
    "signs_are_enough",
    "stopping_law",
    "success_against_epsilon",
    "three_slopes",
    "tracing",
    "tracing_law",
    "tracing_print",
    "train_and_attack",
    "two_games",
    "win_factor",
]
