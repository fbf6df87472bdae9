"""What is made of a built book: PDF, in-browser site, embedded panels, sheets."""
