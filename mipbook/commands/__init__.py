"""What a practitioner calls in a terminal: text, numbers for a program, a report in one file."""
