"""Make a figure function explorable on a static page, in a notebook and in an app."""

from mipbook.explore.controls import (
    Choice,
    Control,
    Count,
    File,
    LogSlider,
    Rounds,
    Slider,
    Switch,
    UploadedFile,
)
from mipbook.explore.explorable import Explorable

__all__ = [
    "Choice",
    "Control",
    "Count",
    "Explorable",
    "File",
    "LogSlider",
    "Rounds",
    "Slider",
    "Switch",
    "UploadedFile",
]
