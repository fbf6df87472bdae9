from .controls import Choice, Control, Count, File, LogSlider, Rounds, Slider, Switch, UploadedFile
from .explorable import Explorable

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
