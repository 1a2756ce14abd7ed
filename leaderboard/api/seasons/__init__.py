"""Seasons: list, make and change them, and lodge a statement with a sealed file."""
