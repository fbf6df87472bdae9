"""Other accountants beside the truth: what they answer, on which side, how fast."""
