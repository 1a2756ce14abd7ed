"""Seasons: make and change them, score what is sealed, and reveal it together."""
