"""The reference of the package: a page a room, and the links between it and the chapters."""
