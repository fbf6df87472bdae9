from .attacked import trained_attack
from .audit_your_model.coverage import audit_coverage
from .audit_your_model.looking import chosen_afterwards
from .audit_your_model.proof import one_run_proof
from .audit_your_model.trained import canary_training
from .clip_and_noise.balance import clip_balance
from .clip_and_noise.divisor import divisor_leak
from .clip_and_noise.drawn import clipped_means
from .clip_and_noise.lab import EXAMPLE_NORMS, NORM_ROLES, clip_lab
from .clip_and_noise.price import training_price
from .implications.map import implication_map
from .implications.named_half import named_half
from .implications.security import half_or_nothing, secure_sum
from .implications.tags import random_tags
from .many_releases.costs import composition_costs
from .many_releases.naming import name_one
from .many_releases.ordinary import REPEATED_POOL, repeated_means
from .many_releases.square import sum_and_square
from .many_releases.votes import votes
from .other_tools.asked import tool_noise, tool_rates, tool_training
from .other_tools.cost import tool_cost
from .shadows import shadow_count, shadow_roc
from .trained import trained_accuracy
from .translate.accused import accused
from .translate.every_reading import every_reading
from .translate.same_promise import same_promise
from .translate.same_reading import same_reading
from .translate.side_by_side import EXAMPLE_OUTPUTS, OUTPUT_ROLES, side_by_side
from .translate.wanted import wanted_reading

__all__ = [
    "EXAMPLE_NORMS",
    "EXAMPLE_OUTPUTS",
    "NORM_ROLES",
    "OUTPUT_ROLES",
    "REPEATED_POOL",
    "accused",
    "audit_coverage",
    "canary_training",
    "chosen_afterwards",
    "clip_balance",
    "clip_lab",
    "clipped_means",
    "composition_costs",
    "divisor_leak",
    "every_reading",
    "half_or_nothing",
    "implication_map",
    "name_one",
    "named_half",
    "one_run_proof",
    "random_tags",
    "repeated_means",
    "same_promise",
    "same_reading",
    "secure_sum",
    "shadow_count",
    "shadow_roc",
    "side_by_side",
    "sum_and_square",
    "tool_cost",
    "tool_noise",
    "tool_rates",
    "tool_training",
    "trained_accuracy",
    "trained_attack",
    "training_price",
    "votes",
    "wanted_reading",
]
