"""What a page asks its reader: a guess before the panel, an answer to an exercise."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
