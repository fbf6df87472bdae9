"""Make a figure function explorable on a static page, in a notebook and in an app."""

from mipbook.explore.controls import Choice, Control, LogSlider, Rounds, Slider, Switch
from mipbook.explore.explorable import Explorable

__all__ = ["Choice", "Control", "Explorable", "LogSlider", "Rounds", "Slider", "Switch"]
