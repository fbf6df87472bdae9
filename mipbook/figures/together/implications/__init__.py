"""Which promise implies which: the map, and the witnesses where nothing follows."""
