"""The figures of Part II, membership inference privacy."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.figures.mip.definition import blood_pressure, four_coins, posterior_bars
    from mipbook.figures.mip.digits import last_digits, short_ruler
    from mipbook.figures.mip.dp_and_mip import dp_to_eta, eta_without_dp, one_bell, roc_square
    from mipbook.figures.mip.halves import day_by_day, fatal_subset
    from mipbook.figures.mip.noise import exactly_zero, noise_over_spread, noisy_heart, one_swap, radius_meter
    from mipbook.figures.mip.record import budget_noise, mip_figure_1, noise_vs_eta_print
    from mipbook.figures.mip.releases import noise_lab, release_lab

__getattr__, __dir__, __all__ = lazy.attach(__name__)
