"""The helper package of mipbook, the explorable book on membership-inference privacy."""

from typing import TYPE_CHECKING

from explorable import lazy, settings

if TYPE_CHECKING:
    from explorable.panels import Choice, Count, Explorable, File, LogSlider, Rounds, Slider, Switch
    from mipbook import (
        accounting,
        audit,
        choose,
        data,
        dpsgd,
        figures,
        game,
        learners,
        mechanisms,
        mip,
        mis,
        pmp,
        release,
        stored,
        tradeoff,
    )

# Who uses the engine with this package uses it for this book.
settings.use("mipbook.book")

__getattr__, __dir__, __all__ = lazy.attach(__name__)
