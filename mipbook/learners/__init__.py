"""Learners whose per-record losses can be watched, and the data they are trained on."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
