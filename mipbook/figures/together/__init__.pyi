from .attacked import trained_attack
from .audit_your_model.coverage import audit_coverage
from .audit_your_model.looking import chosen_afterwards
from .audit_your_model.proof import one_run_proof
from .audit_your_model.trained import canary_training
from .implications.map import implication_map
from .implications.named_half import named_half
from .implications.security import half_or_nothing, secure_sum
from .implications.tags import random_tags
from .shadows import shadow_count, shadow_roc
from .trained import trained_accuracy
from .translate.accused import accused
from .translate.every_reading import every_reading
from .translate.same_promise import same_promise
from .translate.same_reading import same_reading
from .translate.side_by_side import EXAMPLE_OUTPUTS, OUTPUT_ROLES, side_by_side
from .translate.wanted import wanted_reading

__all__ = [
    "EXAMPLE_OUTPUTS",
    "OUTPUT_ROLES",
    "accused",
    "audit_coverage",
    "canary_training",
    "chosen_afterwards",
    "every_reading",
    "half_or_nothing",
    "implication_map",
    "named_half",
    "one_run_proof",
    "random_tags",
    "same_promise",
    "same_reading",
    "secure_sum",
    "shadow_count",
    "shadow_roc",
    "side_by_side",
    "trained_accuracy",
    "trained_attack",
    "wanted_reading",
]
