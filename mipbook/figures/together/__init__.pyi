from .implications.map import implication_map
from .implications.named_half import named_half
from .implications.security import half_or_nothing, secure_sum
from .implications.tags import random_tags
from .shadows import shadow_count, shadow_roc
from .trained import trained_accuracy

__all__ = [
    "half_or_nothing",
    "implication_map",
    "named_half",
    "random_tags",
    "secure_sum",
    "shadow_count",
    "shadow_roc",
    "trained_accuracy",
]
