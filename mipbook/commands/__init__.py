"""What a terminal offers a practitioner: text, JSON, or a report in one file."""
