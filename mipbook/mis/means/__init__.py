"""What the mean of the records gives away."""
