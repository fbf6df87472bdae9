"""The figures of Part V, all four notions together."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.figures.together.audit_your_model import chosen_afterwards, one_run_proof
    from mipbook.figures.together.clip_and_noise import clipped_pulls
    from mipbook.figures.together.clip_plan import EXAMPLE_NORMS, NORM_ROLES, clip_lab
    from mipbook.figures.together.five_numbers import training_run
    from mipbook.figures.together.implications import carried, six_bets
    from mipbook.figures.together.many_releases import composition_costs, votes
    from mipbook.figures.together.other_tools import tool_noise
    from mipbook.figures.together.promises import promise
    from mipbook.figures.together.shadows import own_lines, shadow_count
    from mipbook.figures.together.trained import trained_accuracy
    from mipbook.figures.together.translate import accused, every_reading, sorted_people
    from mipbook.figures.together.translate_app import (
        EXAMPLE_OUTPUTS,
        OUTPUT_ROLES,
        side_by_side,
        wanted_reading,
    )
    from mipbook.figures.together.two_releases import name_one

__getattr__, __dir__, __all__ = lazy.attach(__name__)
