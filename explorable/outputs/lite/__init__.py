"""The notebooks as a site that runs in the reader's own browser: ``python -m mipbook lite``."""
