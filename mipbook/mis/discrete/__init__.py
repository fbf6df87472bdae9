"""What data with few distinct values gives away."""
