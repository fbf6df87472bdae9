"""What a small training loss gives away."""
