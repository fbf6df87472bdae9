"""The book on paper: one PDF a page, the whole book, and sheets of exercises."""
