"""The figures of Part II, membership inference privacy."""

from mipbook.figures.mip.blood_pressure import blood_pressure
from mipbook.figures.mip.dp_and_mip import dp_to_eta, eta_without_dp, roc_square
from mipbook.figures.mip.exact_noise import exact_noise
from mipbook.figures.mip.fatal_subset import fatal_subset
from mipbook.figures.mip.four_coins import four_coins
from mipbook.figures.mip.last_digits import last_digits
from mipbook.figures.mip.noise_lab import EXAMPLE_NUMBERS, NUMBER_ROLES, noise_lab
from mipbook.figures.mip.noise_over_spread import noise_over_spread
from mipbook.figures.mip.noise_vs_eta import noise_vs_eta, noise_vs_eta_print, win_factor
from mipbook.figures.mip.posterior_bars import posterior_bars
from mipbook.figures.mip.radius_meter import radius_meter
from mipbook.figures.mip.release_clouds import release_clouds
from mipbook.figures.mip.release_lab import EXAMPLE_TABLES, TABLE_ROLES, example_table, release_lab

__all__ = [
    "EXAMPLE_NUMBERS",
    "EXAMPLE_TABLES",
    "NUMBER_ROLES",
    "TABLE_ROLES",
    "blood_pressure",
    "dp_to_eta",
    "eta_without_dp",
    "exact_noise",
    "example_table",
    "fatal_subset",
    "four_coins",
    "last_digits",
    "noise_lab",
    "noise_over_spread",
    "noise_vs_eta",
    "noise_vs_eta_print",
    "posterior_bars",
    "radius_meter",
    "release_clouds",
    "release_lab",
    "roc_square",
    "win_factor",
]
