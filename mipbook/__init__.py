"""The helper package of mipbook, the explorable book on membership-inference privacy."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from explorable import checks as ledger
    from explorable import panels as explore
    from explorable.panels import Choice, Count, Explorable, File, LogSlider, Rounds, Slider, Switch
    from mipbook import (
        audit,
        choose,
        data,
        figures,
        game,
        learners,
        mechanisms,
        mip,
        mis,
        pmp,
        release,
        stored,
        together,
        tradeoff,
    )

__getattr__, __dir__, __all__ = lazy.attach(__name__)
