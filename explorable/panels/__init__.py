"""Make a figure function explorable on a static page, in a notebook and in an app."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from explorable.panels.ask import Answer, DrawnGuess, Guess
    from explorable.panels.controls import (
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
    from explorable.panels.explorable import Explorable
    from explorable.panels.layers import Part, layer, stacked
    from explorable.panels.signature import declared

__getattr__, __dir__, __all__ = lazy.attach(__name__)
