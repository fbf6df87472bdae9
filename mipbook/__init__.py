"""The helper package of mipbook, the explorable book on membership-inference privacy."""

from mipbook import explore, game, ledger, mechanisms, mip, noise, palette, tradeoff
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
    "explore",
    "game",
    "ledger",
    "mechanisms",
    "mip",
    "noise",
    "palette",
    "tradeoff",
]
