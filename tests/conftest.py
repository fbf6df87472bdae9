"""Settings for all tests."""

from hypothesis import settings

# The same examples on every machine and every run; slow shared machines get no deadline.
settings.register_profile("mipbook", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("mipbook")
