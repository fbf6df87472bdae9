"""What differential privacy says about security, and back."""
