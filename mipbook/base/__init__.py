"""What every room stands on: checks of arguments, estimates, progress, shared cores."""
