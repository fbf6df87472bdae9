"""The figures of Part III, practical membership privacy."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.figures.pmp.chosen import choose_crowd, choose_name
    from mipbook.figures.pmp.epsilons import four_epsilons, which_wheel
    from mipbook.figures.pmp.lab import (
        EXAMPLE_POOLS,
        EXAMPLE_SETTINGS,
        POOL_ROLES,
        SETTING_ROLES,
        choose_lab,
        ratio_lab,
    )
    from mipbook.figures.pmp.monotone import NOT_MONOTONE, not_monotone
    from mipbook.figures.pmp.noisy_sum import hockey_stick
    from mipbook.figures.pmp.partition import PARTITION_HALVES, modular_sum_bars, partition_picture
    from mipbook.figures.pmp.ratios_exponential import pmp_figure_1, pmp_figure_2, pmp_figure_3
    from mipbook.figures.pmp.ratios_gaussian import pmp_figure_4, pmp_figure_5, pmp_figure_6
    from mipbook.figures.pmp.readers import two_readers
    from mipbook.figures.pmp.square import pmp_square

__getattr__, __dir__, __all__ = lazy.attach(__name__)
