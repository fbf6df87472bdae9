from . import game, mip, mis, pmp

__all__ = ["game", "mip", "mis", "pmp"]
