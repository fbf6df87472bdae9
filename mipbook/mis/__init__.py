"""Membership inference security: what the best attack on a learning procedure can reach."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
