"""Make a figure function explorable on a static page, in a notebook and in an app."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
