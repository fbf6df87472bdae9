from .ask import Answer, DrawnGuess, Guess
from .controls import (
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
from .explorable import Explorable
from .layers import Part, layer, stacked
from .signature import declared

__all__ = [
    "Answer",
    "Choice",
    "Control",
    "Count",
    "DrawnGuess",
    "Explorable",
    "File",
    "Guess",
    "LogSlider",
    "Part",
    "Rounds",
    "Slider",
    "Stops",
    "Switch",
    "UploadedFile",
    "declared",
    "layer",
    "stacked",
]
