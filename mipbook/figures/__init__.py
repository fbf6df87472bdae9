"""The figures of the book: pure functions from parameters to a picture, part by part."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
