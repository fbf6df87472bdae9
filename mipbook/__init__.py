"""The helper package of mipbook, the explorable book on membership-inference privacy."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook import (
        audit,
        choose,
        data,
        explore,
        figures,
        game,
        learners,
        ledger,
        mechanisms,
        mip,
        mis,
        pmp,
        release,
        runs,
        together,
        tradeoff,
    )
    from mipbook.explore import Choice, Count, Explorable, File, LogSlider, Rounds, Slider, Switch

__getattr__, __dir__, __all__ = lazy.attach(__name__)
