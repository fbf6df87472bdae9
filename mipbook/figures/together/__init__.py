"""The figures of Part V, all four notions together."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.figures.together.audit_your_model import chosen_afterwards, one_run_proof
    from mipbook.figures.together.clip_and_noise import clip_lab, clipped_pulls, trained_accuracy
    from mipbook.figures.together.five_numbers import promise, training_run
    from mipbook.figures.together.implications import carried, six_bets
    from mipbook.figures.together.many_releases import composition_costs, name_one, votes, zero_and_zero
    from mipbook.figures.together.other_tools import tool_noise
    from mipbook.figures.together.salaries import mean_noise
    from mipbook.figures.together.shadows import own_lines, shadow_count
    from mipbook.figures.together.translate import accused, every_reading, sorted_people
    from mipbook.figures.together.translate_app import EXAMPLE_OUTPUTS, side_by_side, wanted_reading

__getattr__, __dir__, __all__ = lazy.attach(__name__)
