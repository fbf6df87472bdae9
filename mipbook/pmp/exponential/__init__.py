"""PMP of the exponential mechanism: exact, certified, estimated."""
