"""Uncertainty of ranks and paired tests: computed in the background, read by pages."""
