"""What a teacher takes from the book: exercises by level, lessons, sheets, graded notebooks."""
