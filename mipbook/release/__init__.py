"""Release a statistic or a model with membership inference privacy."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.release.attack import AttackReport, measure_attack
    from mipbook.release.release import MIPRelease, Release

__getattr__, __dir__, __all__ = lazy.attach(__name__)
