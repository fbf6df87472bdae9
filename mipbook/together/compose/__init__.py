"""Many releases of one data set: exact curves, bounds, and the promises that break."""
