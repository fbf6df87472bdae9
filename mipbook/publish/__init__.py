"""From sources to readers: the book, the apps, the servers."""
