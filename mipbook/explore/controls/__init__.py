"""The controls of an explorable: what a reader may move, and the stops it has.

A control is a finite list of *stops*.  The published page computes the figure at
every combination of stops; with a kernel a slider also takes any typed value
between its ends.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
