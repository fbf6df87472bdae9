"""The helper package of mipbook, the explorable book on membership-inference privacy."""

from mipbook import (
    choose,
    data,
    explore,
    game,
    ledger,
    mechanisms,
    mip,
    noise,
    palette,
    pmp,
    tradeoff,
)
from mipbook.explore import Choice, Count, Explorable, File, LogSlider, Rounds, Slider, Switch

__all__ = [
    "Choice",
    "Count",
    "Explorable",
    "File",
    "LogSlider",
    "Rounds",
    "Slider",
    "Switch",
    "choose",
    "data",
    "explore",
    "game",
    "ledger",
    "mechanisms",
    "mip",
    "noise",
    "palette",
    "pmp",
    "tradeoff",
]
