"""Make a figure function explorable on a static page, in a notebook and in an app."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.explore.ask import Answer, DrawnGuess, Guess
    from mipbook.explore.controls import (
        Choice,
        Control,
        Count,
        File,
        LogSlider,
        Rounds,
        Slider,
        Stops,
        Switch,
        UploadedFile,
    )
    from mipbook.explore.explorable import Explorable
    from mipbook.explore.layers import Part, layer, stacked
    from mipbook.explore.signature import declared

__getattr__, __dir__, __all__ = lazy.attach(__name__)
