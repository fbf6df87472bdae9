"""Choose epsilon for a data set: a target for the practical attacker, and what it takes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
