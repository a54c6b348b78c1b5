"""Numbers: units, fits, kinetics."""
