"""Many releases of one data set: what they cost, and promises that break."""
