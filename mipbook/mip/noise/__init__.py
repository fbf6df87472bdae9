"""How much noise a promised eta needs: published, exact, calibrated on the data."""
