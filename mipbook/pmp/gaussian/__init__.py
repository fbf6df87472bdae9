"""PMP of the Gaussian mechanism: exact, certified, in its limit."""
