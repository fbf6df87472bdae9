"""The engine of an explorable book: panels, pages, checks, outputs and a server of figures."""

from explorable import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
