"""The figures of Part III, practical membership privacy."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.figures.pmp.choose import POOL_ROLES, choose_crowd, choose_lab, choose_name
    from mipbook.figures.pmp.definition import (
        PARTITION_HALVES,
        modular_sum_bars,
        partition_picture,
        pmp_square,
    )
    from mipbook.figures.pmp.exponential import NOT_MONOTONE, four_epsilons, not_monotone, which_wheel
    from mipbook.figures.pmp.gaussian import bound_and_truth, hockey_stick, two_readers
    from mipbook.figures.pmp.ratios import ratio_lab
    from mipbook.figures.pmp.ratios_exponential import pmp_figure_1, pmp_figure_2, pmp_figure_3
    from mipbook.figures.pmp.ratios_gaussian import pmp_figure_4, pmp_figure_5, pmp_figure_6
    from mipbook.figures.pmp.village import far_villager

__getattr__, __dir__, __all__ = lazy.attach(__name__)
