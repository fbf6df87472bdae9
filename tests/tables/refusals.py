"""The message of a refusal, and what a browser hands over."""

import pytest

# Nothing of Python's or numpy's own language reaches a reader.
FOREIGN_WORDS = ("Error", "array(", "dtype", "[", "Traceback", "None", "\n")


def message(call, *arguments, **options):
    """Return the message of a refusal, which is short and in words."""
    with pytest.raises(ValueError, match=".") as caught:
        call(*arguments, **options)
    assert type(caught.value) is ValueError
    text = str(caught.value)
    assert 10 < len(text) <= 300
    assert not [word for word in FOREIGN_WORDS if word in text], text
    return text


def seen(content: bytes) -> str:
    """Return what a browser hands over for a file: its bytes as UTF-8, with losses."""
    return content.decode("utf-8", errors="replace")
