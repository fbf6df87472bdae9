"""PMP of any finite mechanism, from the tables of its outputs."""
