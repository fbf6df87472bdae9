"""The engine of an explorable book: panels, pages, checks, outputs and a server of figures."""
