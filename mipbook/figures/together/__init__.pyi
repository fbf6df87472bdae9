from .implications.map import implication_map
from .implications.named_half import named_half
from .implications.security import half_or_nothing, secure_sum
from .implications.tags import random_tags

__all__ = [
    "half_or_nothing",
    "implication_map",
    "named_half",
    "random_tags",
    "secure_sum",
]
