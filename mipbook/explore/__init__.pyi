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
from .signature import declared

__all__ = [
    "Choice",
    "Control",
    "Count",
    "Explorable",
    "File",
    "LogSlider",
    "Rounds",
    "Slider",
    "Stops",
    "Switch",
    "UploadedFile",
    "declared",
]
