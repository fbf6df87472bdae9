from . import game, mip, mis, pmp, together

__all__ = ["game", "mip", "mis", "pmp", "together"]
