"""The figures of Part V, all four notions together."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.figures.together.attacked import trained_attack
    from mipbook.figures.together.audit_your_model import audit_coverage
    from mipbook.figures.together.audit_your_model import chosen_afterwards
    from mipbook.figures.together.audit_your_model import one_run_proof
    from mipbook.figures.together.clip_and_noise import clip_balance
    from mipbook.figures.together.clip_and_noise import divisor_leak
    from mipbook.figures.together.clip_and_noise import clipped_means
    from mipbook.figures.together.clip_lab import EXAMPLE_NORMS, NORM_ROLES, clip_lab
    from mipbook.figures.together.implications import implication_map
    from mipbook.figures.together.implications import secure_sum
    from mipbook.figures.together.many_releases import composition_costs
    from mipbook.figures.together.two_releases import name_one
    from mipbook.figures.together.two_releases import sum_and_square
    from mipbook.figures.together.many_releases import votes
    from mipbook.figures.together.other_tools import tool_noise, tool_training
    from mipbook.figures.together.shadows import shadow_count, shadow_roc
    from mipbook.figures.together.trained import trained_accuracy
    from mipbook.figures.together.translate import accused
    from mipbook.figures.together.translate import every_reading
    from mipbook.figures.together.translate import same_promise
    from mipbook.figures.together.translate_app import EXAMPLE_OUTPUTS, OUTPUT_ROLES, side_by_side
    from mipbook.figures.together.translate_app import wanted_reading

__getattr__, __dir__, __all__ = lazy.attach(__name__)
