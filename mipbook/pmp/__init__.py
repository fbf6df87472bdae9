"""Practical membership privacy: what an attacker can tell who knows only the pool.

The pool X has 2n records, n of them are drawn.  The PMP parameter eps~(X) compares the
output's distribution given that a record was drawn with its distribution given that it was not.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
