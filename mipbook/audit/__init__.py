"""Audit a learner: train it many times, attack it, and certify what the attack proves.

A certificate says that the security is *at most* something.  No data can show that it is high.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
