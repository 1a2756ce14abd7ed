"""Traces by the API: of the caller's team, and public ones."""
