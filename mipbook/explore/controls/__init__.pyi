from .choices import Choice, Switch
from .control import Control
from .files import File, UploadedFile
from .rounds import Rounds
from .shorthand import as_control
from .sliders import Count, LogSlider, Slider, Stops

__all__ = [
    "Choice",
    "Control",
    "Count",
    "File",
    "LogSlider",
    "Rounds",
    "Slider",
    "Stops",
    "Switch",
    "UploadedFile",
    "as_control",
]
