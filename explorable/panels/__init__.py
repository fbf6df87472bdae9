"""Make a figure function explorable on a static page, in a notebook and in an app."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from explorable.panels.ask import Answer, Guess, Mark
    from explorable.panels.controls import (
        Choice,
        Control,
        Draws,
        File,
        Rounds,
        Switch,
        UploadedFile,
        declared,
    )
    from explorable.panels.explorable import Explorable
    from explorable.panels.protocol import Grab, Part, Told, Track, layer, stacked
    from explorable.panels.sliders import Along, Count, LogSlider, Slider, Stops

__getattr__, __dir__, __all__ = lazy.attach(__name__)
