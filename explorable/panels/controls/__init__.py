"""The controls of an explorable: what a reader may move, and the stops it has.

A control is a finite list of *stops*.  The published page computes the figure at
every combination of stops; with a kernel a slider also takes any typed value
between its ends.
"""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from explorable.panels.controls.choices import Choice, Switch
    from explorable.panels.controls.control import Control
    from explorable.panels.controls.files import File, UploadedFile
    from explorable.panels.controls.rounds import Rounds
    from explorable.panels.controls.shorthand import as_control
    from explorable.panels.controls.sliders import Count, LogSlider, Slider, Stops

__getattr__, __dir__, __all__ = lazy.attach(__name__)
