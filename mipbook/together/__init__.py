"""One release in all readings: from any promise or mechanism to DP, MIP, PMP and MIS.

`translate` takes what is known of a release, a promise such as (epsilon, delta) or a mechanism
with its noise, and returns a `Reading`: the attacker's rates, and the number of each notion with
whether it is exact or a bound.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
