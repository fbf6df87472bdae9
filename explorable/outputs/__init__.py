"""What a book becomes beside its pages: on paper, in the reader's own browser, in a class."""
